#pragma once

#include <mortise/kit/manifest.hpp>
#include <mortise/parallel/mesh.hpp>
#include <mortise/parallel/plan_builder.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Cuts the work of a unit over the ranks of mesh axes of its own: context and expert parallelism.
/// What it changes in the model are layer operations: a cutter that is a LayerOp too (a second
/// interface of its component) is linked into every layer that it binds, behind the run's own
/// layer_ops.
///
/// Threads: plan: main thread; prepare_batch: step thread.
/// Ranks:   plan and prepare_batch are local.
class Cutter : public Interface {
 public:
  /// Once, after layer operations are bound, before the owner plans: names the axes that it uses
  /// (PlanBuilder::spread) and cuts parameters (PlanBuilder::cut). An axis that the run file does
  /// not name has size 1; a cutter works on that, too.
  virtual void plan(PlanBuilder& plan) = 0;
  /// This rank's part of a micro-batch; the ranks of an axis that is spread over positions are
  /// given the same one. What is counted (targets) must be on exactly one of them.
  virtual Batch prepare_batch(const Batch& batch) { return batch; }
};

template <>
class Remote<Cutter> final : public kit::RemoteBase<Cutter, mt_cutter_v1> {
 public:
  static constexpr const char* id = "mortise/cutter/1";
  using Services = kit::types<Mesh>;
  using Methods = kit::Methods<&Cutter::plan, &Cutter::prepare_batch>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void plan(PlanBuilder& plan) override { call(&Table::plan, &Cutter::plan, plan); }
  Batch prepare_batch(const Batch& batch) override {
    return call(&Table::prepare_batch, &Cutter::prepare_batch, batch);
  }
};

}  // namespace mortise
