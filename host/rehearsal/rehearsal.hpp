#pragma once

#include <deque>
#include <memory>
#include <set>

#include "host/rehearsal/memory_count.hpp"
#include "host/rehearsal/rehearsed_mesh.hpp"
#include "host/rehearsal/unit_probe.hpp"
#include "host/training/stand_ins.hpp"

namespace mortise::host {

// The most that is in use during a step, in bytes.
struct StepMemory {
  std::int64_t parameters = 0;  // full ones, and messages under way
  std::int64_t masters = 0, gradients = 0, slots = 0;
  std::int64_t activations = 0;  // kept for the backward pass
  std::int64_t computing = 0;    // of the unit that needs most at that moment, with logits
  std::int64_t total = 0;
};

// What one rank does in a step.
struct RankFigures {
  std::int64_t rank = 0, stage = 0;
  std::vector<MeshAxis> axes;
  std::vector<std::int64_t> units;
  std::int64_t elements = 0;  // of the parameters that it computes with
  std::int64_t owned = 0;     // of those whose masters it has
  StepMemory memory, without_recomputation, with_recomputation;
  std::int64_t kept_without = 0, kept_with = 0;  // most activations
  Traffic traffic;
  std::vector<PlannedAction> schedule;
  std::map<std::int64_t, double> costs;  // of a forward pass, by unit, in no unit of their own
};

// One rank of a run that exists in thought: the engine makes a step without micro-batches, all
// calls to the owner and to communicators are as they would be, and what a unit would keep and need
// is taken and given back in its place.
class Rehearsal final : public StandIns {
 public:
  Rehearsal(RehearsedMesh& mesh, MemoryCount& memory);
  ~Rehearsal() override;
  Rehearsal(const Rehearsal&) = delete;

  using StandIns::watch;

  Owner& watch(Owner& owner) override;
  Optimizer& watch(Optimizer& optimizer) override;

  // `micro_batches` of a step over all ranks.
  RankFigures run(Engine& engine, UnitProbe& probe, std::int64_t micro_batches);
  bool has_whole_matrices() const { return has_whole_matrices_; }

 private:
  class RehearsedOwner;
  class RehearsedOptimizer;
  using Place = std::pair<std::int64_t, std::int64_t>;  // unit, micro-batch
  using Held = std::map<Place, at::Tensor>;

  void step();
  StepMemory measure(const std::vector<bool>& recompute, std::int64_t& activations);
  bool computes(const Visit& visit) const { return visit.micro_batch < micro_batches_; }
  bool is_here(std::int64_t unit) const { return here_.count(unit) != 0; }
  void compute(const Visit& visit);
  void forward(const Visit& visit, const UnitFigures& f);
  void backward(const Visit& visit, const UnitFigures& f);
  TensorList gradients_of(const Visit& visit) const;
  void hold(Held& held, Place place, std::int64_t bytes);
  void pass(std::int64_t bytes, Purpose purpose);
  void add_messages(RankFigures& figures) const;

  RehearsedMesh& mesh_;
  MemoryCount& memory_;
  std::unique_ptr<RehearsedOwner> owner_;
  std::deque<std::unique_ptr<RehearsedOptimizer>> optimizers_;
  bool has_whole_matrices_ = false;

  Engine* engine_ = nullptr;
  UnitProbe* probe_ = nullptr;
  std::int64_t micro_batches_ = 0, most_activations_ = 0;
  std::set<std::int64_t> here_;
  std::vector<bool> recompute_;
  Held outputs_, kept_, gradients_;
  Traffic traffic_;
};

}  // namespace mortise::host
