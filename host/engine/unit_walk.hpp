#pragma once

#include <map>
#include <mortise/parallel/owner.hpp>
#include <vector>

#include "host/engine/buffers.hpp"
#include "host/engine/layout.hpp"
#include "host/engine/parameters.hpp"
#include "host/engine/stage_mail.hpp"
#include "host/engine/step_clock.hpp"
#include "host/engine/step_schedule.hpp"
#include "host/engine/unit_visit.hpp"
#include "host/engine/weight_gradient_queue.hpp"

namespace mortise::host {

// 1 / count of each Denominator over the whole step, 0-d float64 on the device.
struct Inverses {
  at::Tensor tokens, samples, micro_batches;
  const at::Tensor& of(Denominator per) const;
};

// The micro-batches of this rank in one step; none in a round: it makes the same calls without
// computing.
using RoundBatches = std::vector<std::optional<Batch>>;

// What the walk of one step knows beyond its micro-batches.
struct WalkStep {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  const RoundBatches& rounds;
  const Inverses& inverses;
  // [rounds] float64: what each micro-batch adds to the loss on this rank.
  at::Tensor& values;
};

// Walks a model unit by unit, forward and backward, with the owner's callbacks around each unit.
// The graph of autograd is cut between units (engine.md of the design): strategies, recomputation
// and schedules need no hook inside the model.
class UnitWalk {
 public:
  struct Parts {
    Model& model;
    Loss* loss;
    Owner& owner;
    const LayerChains& chains;
    const Parameters& parameters;
    Buffers& buffers;
    StepClock& clock;
    const Layout& layout;
    WeightGradientQueue& weight_gradients;
  };
  // recompute[u]: unit u drops its activations and runs forward again in the backward pass.
  UnitWalk(Parts parts, std::vector<bool> recompute);

  // One step: runs a schedule.
  void train(const WalkStep& step, const std::vector<PlannedAction>& schedule);
  // What models have recorded since the last call, summed by name; 0-d tensors on the device.
  std::map<std::string, at::Tensor> take_records() { return std::exchange(records_, {}); }
  // Forward only, without gradients, one micro-batch or none; the terms' weighted sums per
  // Denominator::tokens on this rank, 0-d float64.
  at::Tensor evaluate(const Batch* batch, std::int64_t round);
  // Forward only, on a rank that has all units; the logits. `kept`: decodes, with what links have
  // kept of the text so far.
  at::Tensor infer(const Batch& batch, KeptStates* kept = nullptr);
  // Drops what is under way.
  void abort();

 private:
  using Place = std::pair<std::int64_t, std::int64_t>;  // unit, round
  struct Saved {
    TensorList inputs, outputs;
    std::vector<Term> terms;
    TensorList parameter_gradients;  // of a backward pass that is split
    WeightTasks tasks;
  };
  void act(const PlannedAction& planned, const WalkStep& step);
  void forward(const Visit& visit, Place here, const WalkStep& step);
  TensorList run_for_backward(const Visit& visit, Place here, const TensorList& hidden,
                              const Batch& batch);
  TensorList run_without_backward(const Visit& visit, Place here, const TensorList& hidden,
                                  const Batch& batch, const WalkStep& step);
  void backward(const Visit& visit, const PlannedAction& planned, const WalkStep& step);
  void finish_weights(const Visit& visit, Place here);
  void keep(const VisitResult& result, const Visit& visit);
  VisitRequest request(const Batch& batch) const;
  std::int64_t micro_batch_of(std::int64_t round) const;

  Parts parts_;
  std::vector<bool> recompute_;
  StageMail mail_;
  std::map<Place, Saved> saved_;
  std::map<Place, TensorList> activations_, gradients_;  // of the outputs of a unit, to be used
  std::map<std::string, at::Tensor> records_;
};

}  // namespace mortise::host
