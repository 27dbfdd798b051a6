#pragma once

#include <mortise/kit/manifest.hpp>
#include <mortise/model/model.hpp>
#include <mortise/optim/piece.hpp>
#include <mortise/parallel/mesh.hpp>
#include <mortise/parallel/plan_builder.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// A step as an owner sees it: `micro_batches` over all ranks.
struct StepPlan {
  std::int64_t step = 0, micro_batches = 0;
  bool training = true;
};

/// Holds parameters, gradients and the split of both over ranks: FSDP, DDP. A run has exactly one.
///
/// In a step the engine calls begin_step, then for each micro-batch of this rank: before, (the
/// model), after for each unit forward, and before, gradients_ready, after for each unit backward;
/// then finish_gradients, norm_part, and the optimizers. A schedule may have several micro-batches
/// under way, in any order; where it splits backward passes, gradients_ready of a visit follows its
/// after, maybe much later. `visit.last_of_step` of a backward visit: no later gradients of that
/// unit come in this step. A rank without a micro-batch in a round makes the same calls with
/// undefined gradients. Between finish_gradients and the next begin_step the optimizers change the
/// masters. Evaluation: begin_step with training = false, before and after only. Units below the
/// lowest one that trains are never visited backward.
/// Threads: step thread.
/// Ranks:   every call is collective over the axes that the owner uses.
class Owner : public Interface {
 public:
  /// Once, before anything else.
  virtual void plan(PlanBuilder& plan) = 0;
  /// Gradients count from zero; masters may have changed.
  virtual void begin_step(const StepPlan&) {}
  /// After it returns, the unit's parameters are there until after() of the same visit.
  virtual void before(const Visit&) {}
  virtual void after(const Visit&) {}
  /// The gradients of the unit's trainable parameters by this micro-batch, in id order, of the type
  /// and the size of what was placed; undefined: zero, still reduced. The owner may keep them.
  virtual void gradients_ready(const Visit& visit, Tensors gradients) = 0;
  /// After it returns, each piece's gradient is the sum over all micro-batches and ranks.
  virtual void finish_gradients() = 0;
  /// This rank's part of the gradient norm: 0-d float64 on the device; the sum of |g|^p over its
  /// pieces, or for p = infinity the largest |g|. What several ranks hold is counted on one.
  virtual at::Tensor norm_part(double p) const = 0;
  /// What this rank owns; the same tensors every time.
  virtual std::vector<Piece> pieces() const = 0;
  /// The run fails: drop what is under way, wait for nothing.
  virtual void abort() {}
};

namespace kit {
template <>
struct members<StepPlan> {
  MORTISE_MEMBERS(StepPlan, mt_step_plan);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(step), MORTISE_MEMBER(micro_batches), MORTISE_MEMBER(training)};
};
}  // namespace kit

template <>
class Remote<Owner> final : public kit::RemoteBase<Owner, mt_owner_v1> {
 public:
  static constexpr const char* id = "mortise/owner/1";
  using Services = kit::types<Mesh>;
  using Methods = kit::Methods<&Owner::plan, &Owner::begin_step, &Owner::before, &Owner::after,
                               &Owner::gradients_ready, &Owner::finish_gradients, &Owner::norm_part,
                               &Owner::pieces, &Owner::abort>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void plan(PlanBuilder& plan) override { call(&Table::plan, &Owner::plan, plan); }
  void begin_step(const StepPlan& step) override {
    call(&Table::begin_step, &Owner::begin_step, step);
  }
  void before(const Visit& visit) override { call(&Table::before, &Owner::before, visit); }
  void after(const Visit& visit) override { call(&Table::after, &Owner::after, visit); }
  void gradients_ready(const Visit& visit, Tensors gradients) override {
    call(&Table::gradients_ready, &Owner::gradients_ready, visit, gradients);
  }
  void finish_gradients() override { call(&Table::finish_gradients, &Owner::finish_gradients); }
  at::Tensor norm_part(double p) const override {
    return call(&Table::norm_part, &Owner::norm_part, p);
  }
  std::vector<Piece> pieces() const override { return call(&Table::pieces, &Owner::pieces); }
  void abort() override { call(&Table::abort, &Owner::abort); }
};

}  // namespace mortise
