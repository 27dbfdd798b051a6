#pragma once

#include <c10/core/Device.h>

#include <mortise/parallel/cutter.hpp>
#include <mortise/parallel/selector.hpp>

#include "host/engine/layer_chains.hpp"
#include "host/engine/plan.hpp"

namespace mortise::host {

// How the ranks of a run share its work: their mesh, who puts units on stages, who cuts; the length
// of sequences and what each unit costs, for the selector.
struct LayoutParts {
  Mesh& mesh;
  Selector* selector = nullptr;
  std::vector<Cutter*> cutters{};
  std::int64_t sequence_length = 0;
  std::vector<UnitCost> costs{};
  at::Device device = at::kCPU;  // of this rank's tensors
};

// This rank's share: units of its stage, parts of parameters, micro-batches and positions.
class Layout {
 public:
  // Asks the selector, lets the cutters plan. Throws ConfigError for a mesh that they do not fill.
  Layout(LayoutParts parts, Plan::Lists lists);

  std::int64_t stage() const { return stages_->rank(); }
  const std::vector<std::int64_t>& units() const { return units_of(stage()); }
  const std::vector<std::int64_t>& units_of(std::int64_t stage) const {
    return units_of_[std::size_t(stage)];
  }
  // By unit of the model.
  std::int64_t stage_of(std::int64_t unit) const { return stage_of_[std::size_t(unit)]; }
  std::int64_t model_units() const { return std::int64_t(stage_of_.size()); }
  Plan& plan() { return *plan_; }
  at::Device device() const { return parts_.device; }

  const std::vector<MeshAxis>& axes() const { return axes_; }
  Communicator& everyone() const { return *everyone_; }
  // Micro-batch k of a step lies on rank k mod size in round k div size.
  Communicator& micro_batches() const { return *micro_batches_; }
  Communicator& stages() const { return *stages_; }
  // A second group of the same ranks: what travels back does not queue behind what travels on.
  Communicator& stages_back() const { return *stages_back_; }
  // Throws ConfigError if a step of so many leaves a stage or a rank of a spread axis idle.
  void require_micro_batches(std::int64_t count) const;
  // How many ranks next to each other in micro_batches() compute together, each on its own.
  std::int64_t ranks_together() const;

  // What several ranks know of a batch is counted on one.
  bool counts_targets() const { return stage() == 0 && repeats_ == 0; }
  bool counts_samples() const { return counts_targets() && part_ == 0; }
  // Whether another rank has the same sequences and computes the same loss, and that one's counts.
  bool repeats() const { return repeats_ != 0; }
  // Which part of the sequences this rank has.
  std::int64_t part() const { return part_; }
  Batch prepare(const Batch& batch) const;
  // Adds what ranks with the same micro-batches have, in rank order, without those that repeat.
  // Shapes: [ranks, …] -> [ranks of micro_batches(), …].
  at::Tensor join(const at::Tensor& by_rank) const;

  // What each rank does in a step. Throws Error for schedules that cannot run.
  std::vector<Action> schedule(std::int64_t rounds) const;

 private:
  void ask_selector(std::int64_t units);
  void require_runnable(std::int64_t rounds) const;
  void check_axes() const;
  void find_ranks();

  LayoutParts parts_;
  std::vector<MeshAxis> axes_;
  std::unique_ptr<Communicator> stages_, stages_back_, everyone_, micro_batches_;
  std::vector<std::vector<std::int64_t>> units_of_;  // by stage
  std::vector<std::int64_t> stage_of_;               // by unit
  std::optional<Plan> plan_;
  std::int64_t part_ = 0, repeats_ = 0;
  std::vector<std::int64_t> micro_batch_rank_;  // by rank; -1: it repeats
};

}  // namespace mortise::host
