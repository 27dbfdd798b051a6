#pragma once

#include <map>
#include <mortise/parallel/owner.hpp>
#include <vector>

#include "host/engine/parameters.hpp"
#include "host/engine/step_clock.hpp"
#include "host/engine/unit_visit.hpp"

namespace mortise::host {

// 1 / count of each Denominator over the whole step, 0-d float64 on the device.
struct Inverses {
  at::Tensor tokens, samples, micro_batches;
  const at::Tensor& of(Denominator per) const;
};

// What the walk of one micro-batch knows beyond the micro-batch.
struct WalkStep {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  std::int64_t micro_batch = 0;
  bool last_of_step = false;
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
    StepClock& clock;
  };
  // recompute[u]: unit u drops its activations and runs forward again in the backward pass.
  UnitWalk(Parts parts, std::vector<bool> recompute);

  // Forward and backward of one micro-batch; null: this rank has none in this round, and makes the
  // same calls without computing. Returns the value that the micro-batch adds to the loss: the
  // weighted, divided sum of its terms, 0-d float64, detached.
  at::Tensor train(const Batch* batch, const WalkStep& step, const Inverses& inverses);
  // What models have recorded since the last call, summed by name; 0-d tensors on the device.
  std::map<std::string, at::Tensor> take_records() { return std::exchange(records_, {}); }
  // Forward only, without gradients; the terms' weighted sums per Denominator::tokens.
  at::Tensor evaluate(const Batch* batch, std::int64_t micro_batch);
  // Forward only; the logits.
  at::Tensor infer(const Batch& batch);

 private:
  struct Saved {
    TensorList inputs, outputs;
    std::vector<Term> terms;
  };
  TensorList forward_unit(Visit visit, const Batch* batch, const TensorList& hidden,
                          const WalkStep& step, Saved& saved);
  TensorList backward_unit(Visit visit, const Batch* batch, const TensorList& gradients,
                           const WalkStep& step, const Inverses& inverses, Saved& saved,
                           at::Tensor& total);
  void keep_records(const VisitResult& result);
  VisitRequest request(const Batch& batch) const;
  std::int64_t units() const { return parts_.parameters.units(); }

  Parts parts_;
  std::vector<bool> recompute_;
  std::map<std::string, at::Tensor> records_;
};

}  // namespace mortise::host
