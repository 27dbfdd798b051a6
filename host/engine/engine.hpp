#pragma once

#include <map>
#include <memory>
#include <mortise/model/initializer.hpp>
#include <mortise/run/observer.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/engine/optimizers.hpp"
#include "host/engine/tied_stages.hpp"
#include "host/engine/unit_walk.hpp"

namespace mortise::host {

// Which units drop their activations: none, all, every n-th block, or names.
struct Recompute {
  enum class Kind { none, all, every, names } kind = Kind::none;
  std::int64_t every = 1;
  std::vector<std::string> names;
};

struct EngineSettings {
  std::uint64_t seed = 0;
  std::optional<double> clip_norm;
  double norm = 2;  // 1, 2 or infinity
  Recompute recompute;
  DType compute = DType::float32;  // of activations, and of parameters as layers see them
};

// Components that one training program is made of; lent for the engine's life.
struct EngineParts {
  Model& model;
  Loss& loss;
  Owner& owner;
  std::vector<LayerOpBinding> layer_ops;
  std::vector<OptimizerBinding> optimizers;
  std::vector<Observer*> observers;
  LayoutParts layout;
  WeightGradientQueue& weight_gradients;
};

// One training step of this rank. Micro-batch k of the step lies on rank k mod W of the group
// Layout::micro_batches in round k div W; a round without one has no batch. Every rank passes the
// same number of rounds; ranks of other axes pass the same batches.
struct StepInput {
  std::int64_t step = 0;  // updates that are done before it
  std::int64_t micro_batches = 0;
  RoundBatches rounds;
  double learning_rate_factor = 1;
  bool stop_requested = false;  // on this rank
  bool save_requested = false;
};

// What a step leaves on the device, to be read when the next step is under way.
struct StepOutput {
  std::int64_t step = 0;
  std::int64_t micro_batches = 0;
  at::Tensor values;  // [W, rounds] float64: what each micro-batch adds to the loss
  at::Tensor norm;    // 0-d float64
  at::Tensor skip;    // 0-d float32
  at::Tensor counts;  // int64: tokens, samples, micro-batches, ranks that ask to stop, to save
  std::map<std::string, at::Tensor> records;  // of this rank, summed over its micro-batches
};

// A StepOutput on the host.
struct StepValues {
  double loss = 0, norm = 0;
  bool skipped = false, stop = false, save = false;
  std::int64_t tokens = 0;
};
// Adds the micro-batches in their order over all ranks, so that the loss has the same bits on
// every layout.
StepValues read(const StepOutput& output);

struct EvaluationInput {
  std::int64_t micro_batches = 0;
  RoundBatches rounds;
};

class Engine {
 public:
  Engine(EngineParts parts, EngineSettings settings);

  const Parameters& parameters() const { return parameters_; }
  const LayerChains& chains() const { return chains_; }
  const Layout& layout() const { return layout_; }
  Optimizers& optimizers() { return optimizers_; }
  // Runs through train(); whoever drives the steps enters the phases between them.
  StepClock& clock() { return clock_; }
  const Buffers& buffers() const { return buffers_; }
  Names unit_names() const { return parts_.model.units(); }
  // By unit: whether it drops its activations.
  std::vector<bool> recomputed() const;

  StepOutput train(const StepInput& input);
  // Mean loss per token over all micro-batches of all ranks.
  double evaluate(const EvaluationInput& input);
  // Runs one unit by itself, for whoever measures it; its parameters must be there.
  VisitResult visit(const Visit& visit, Tensors hidden, const Batch& batch);
  // The run fails: the owner drops what is under way. Never throws.
  void abort() noexcept;
  // Tells observers that a checkpoint of `step` is about to be written.
  void announce_checkpoint(std::int64_t step);
  // Shapes: the batch's tokens [B, T] -> logits [B, T, V], float32. Not collective beyond the
  // owner.
  at::Tensor infer(const Batch& batch);
  // The same for the positions after those that `kept` comes from.
  at::Tensor decode(const Batch& batch, KeptStates& kept);

 private:
  RoundBatches prepare(const RoundBatches& rounds) const;
  at::Tensor on_device(const at::Tensor& tensor) const;
  RoundBatches on_device(RoundBatches rounds) const;
  at::Tensor zeros(at::IntArrayRef sizes) const;
  at::Tensor count(const StepInput& input, const RoundBatches& rounds);
  const std::vector<PlannedAction>& schedule(std::int64_t rounds);
  void accumulate(std::int64_t step, const RoundBatches& rounds, const Inverses& inverses,
                  at::Tensor& values);
  void check_collective_loss(const RoundBatches& rounds) const;
  void reduce(StepOutput& output, const at::Tensor& values);
  void clip(const StepOutput& output);

  EngineParts parts_;
  EngineSettings settings_;
  LayerChains chains_;
  Layout layout_;
  Parameters parameters_;
  TiedStages tied_;
  Optimizers optimizers_;
  StepClock clock_;
  Buffers buffers_;
  UnitWalk walk_;
  std::map<std::int64_t, std::vector<PlannedAction>> schedules_;  // by number of rounds
};

// recompute -> one flag for each unit. Throws ConfigError for a name that is no unit. The last unit
// keeps its activations under `all` and `every`: the loss has made its gradient by then.
std::vector<bool> recomputed_units(const Recompute& recompute, const Names& units);

}  // namespace mortise::host
