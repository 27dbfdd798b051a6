#include "host/engine/engine.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <limits>
#include <mortise/random.hpp>

#include "host/engine/unit_costs.hpp"

namespace mortise::host {
namespace {

// What the layers of this run see of each parameter.
std::vector<ParameterInfo> computed_in(DType type, std::vector<ParameterInfo> infos) {
  for (ParameterInfo& info : infos) info.compute = type;
  return infos;
}

LayoutParts weighed(const EngineParts& parts, const LayerChains& chains) {
  LayoutParts layout = parts.layout;
  layout.costs = costs_of_units(chains, parts.model.units(), layout.sequence_length);
  return layout;
}

Inverses invert(const at::Tensor& counts) {
  const at::Tensor inverse = at::reciprocal(counts.clamp_min(1).to(at::kDouble));
  return {inverse[0], inverse[1], inverse[2]};
}

}  // namespace

std::vector<bool> recomputed_units(const Recompute& recompute, const Names& units) {
  std::vector<bool> chosen(units.size());
  if (recompute.kind == Recompute::Kind::names) {
    for (const std::string& name : recompute.names) {
      bool found = false;
      for (std::size_t u = 0; u != units.size(); ++u)
        if (matches(name, units[u])) chosen[u] = found = true;
      if (!found)
        throw ConfigError("recompute: '" + name + "' is no unit of the model; its units are " +
                          units.front() + " … " + units.back());
    }
    return chosen;
  }
  if (recompute.kind == Recompute::Kind::none) return chosen;
  const std::int64_t every = recompute.kind == Recompute::Kind::all ? 1 : recompute.every;
  for (std::size_t u = 0; u + 1 < units.size(); ++u) chosen[u] = std::int64_t(u) % every == 0;
  return chosen;
}

StepValues read(const StepOutput& output) {
  StepValues values;
  const at::Tensor by_rank = output.values.cpu().contiguous();
  const std::int64_t ranks = by_rank.size(0), rounds = by_rank.size(1);
  const double* v = by_rank.const_data_ptr<double>();
  for (std::int64_t k = 0; k != output.micro_batches; ++k)
    values.loss += v[k % ranks * rounds + k / ranks];
  const at::Tensor counts = output.counts.cpu();
  values.tokens = counts[0].item<std::int64_t>();
  values.stop = counts[3].item<std::int64_t>() != 0;
  values.save = counts[4].item<std::int64_t>() != 0;
  values.norm = output.norm.item<double>();
  values.skipped = output.skip.item<float>() != 0;
  return values;
}

Engine::Engine(EngineParts parts, EngineSettings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      chains_(parts_.model, parts_.layer_ops),
      layout_(weighed(parts_, chains_),
              {computed_in(settings_.compute, chains_.parameters()), parts_.model.placements(),
               std::int64_t(parts_.model.units().size())}),
      parameters_(chains_, parts_.model, parts_.owner, layout_.plan()),
      tied_(layout_, parameters_),
      optimizers_(parts_.optimizers, parameters_, layout_.micro_batches()),
      buffers_(chains_, layout_.device()),
      walk_({parts_.model, &parts_.loss, parts_.owner, chains_, parameters_, buffers_, clock_,
             layout_, parts_.weight_gradients},
            recomputed_units(settings_.recompute, parts_.model.units())) {
  for (Observer* o : parts_.observers) o->begin(parameters_.infos(), parameters_.pieces());
}

RoundBatches Engine::prepare(const RoundBatches& rounds) const {
  RoundBatches prepared;
  for (const std::optional<Batch>& batch : rounds)
    prepared.push_back(batch ? std::optional(layout_.prepare(*batch)) : std::nullopt);
  return prepared;
}

// On the way to a GPU beside what it still computes: from pinned memory, without waiting.
at::Tensor Engine::on_device(const at::Tensor& tensor) const {
  if (layout_.device().is_cpu()) return tensor;
  const at::Tensor from = layout_.device().is_cuda() ? tensor.pin_memory() : tensor;
  return from.to(layout_.device(), /*non_blocking=*/true);
}

RoundBatches Engine::on_device(RoundBatches rounds) const {
  if (layout_.device().is_cpu()) return rounds;
  for (std::optional<Batch>& batch : rounds) {
    if (!batch) continue;
    Batch placed;
    for (const Batch::Entry& e : batch->entries()) placed.set(e.name, on_device(e.value));
    batch = std::move(placed);
  }
  return rounds;
}

at::Tensor Engine::zeros(at::IntArrayRef sizes) const {
  return at::zeros(sizes, at::TensorOptions(layout_.device()).dtype(at::kDouble));
}

// Counted targets, samples and micro-batches of the whole step, and the ranks that ask to stop:
// known before the first forward pass, so that nothing is divided later.
at::Tensor Engine::count(const StepInput& input, const RoundBatches& rounds) {
  at::Tensor counts = at::zeros({5}, at::kLong);
  for (const std::optional<Batch>& batch : rounds) {
    if (!batch) continue;
    if (layout_.counts_targets()) counts[0].add_(parts_.loss.counts(*batch));
    if (!layout_.counts_samples()) continue;
    counts[1].add_((*batch)["tokens"].size(0));
    counts[2].add_(1);
  }
  if (input.stop_requested) counts[3].fill_(1);
  if (input.save_requested) counts[4].fill_(1);
  layout_.everyone().all_reduce(counts, ReduceOp::sum)->wait();
  return counts;
}

// Whoever has no micro-batch, or one of another size, would leave the others waiting in the loss.
void Engine::check_collective_loss(const RoundBatches& rounds) const {
  if (!parts_.loss.collective()) return;
  at::Tensor sizes = at::full({2}, std::numeric_limits<std::int64_t>::min(), at::kLong);
  for (const std::optional<Batch>& batch : rounds) {
    const std::int64_t size = batch ? (*batch)["tokens"].size(0) : 0;
    sizes = at::maximum(sizes, at::tensor({size, -size}, at::kLong));
  }
  layout_.everyone().all_reduce(sizes, ReduceOp::max)->wait();
  const std::int64_t largest = sizes[0].item<std::int64_t>(),
                     smallest = -sizes[1].item<std::int64_t>();
  if (largest == smallest) return;
  throw ConfigError(
      "the loss computes over all ranks at once, so every rank needs micro-batches of one size in "
      "every round; they have " +
      std::to_string(smallest) + " to " + std::to_string(largest) +
      " sequences: choose a number of sequences, of a step (batch) and of each evaluation set "
      "(eval.tokens), that micro_batch * " +
      std::to_string(layout_.micro_batches().size()) + " ranks divides");
}

const std::vector<PlannedAction>& Engine::schedule(std::int64_t rounds) {
  const auto found = schedules_.find(rounds);
  if (found != schedules_.end()) return found->second;
  return schedules_[rounds] = plan_step(layout_.schedule(rounds), parameters_.first_trainable());
}

// Ranks with other positions of the same sequences draw numbers of their own.
void Engine::accumulate(std::int64_t step, const RoundBatches& rounds, const Inverses& inverses,
                        at::Tensor& values) {
  const std::int64_t part = layout_.part();
  const std::uint64_t seed =
      part == 0 ? settings_.seed : random::key_of(settings_.seed, "part " + std::to_string(part));
  walk_.train({seed, step, rounds, inverses, values}, schedule(std::int64_t(rounds.size())));
}

// One collective carries the norm and the losses.
void Engine::reduce(StepOutput& output, const at::Tensor& values) {
  Communicator& group = layout_.everyone();
  const at::Tensor mine =
      at::cat({parts_.owner.norm_part(settings_.norm).to(values.options()).reshape({1}), values});
  const at::Tensor all = at::empty({group.size() * mine.numel()}, mine.options());
  group.all_gather(all, mine)->wait();
  const at::Tensor table = all.view({group.size(), mine.numel()});
  output.values = layout_.join(table.narrow(1, 1, values.numel()));
  const at::Tensor parts = table.select(1, 0);
  output.norm = std::isinf(settings_.norm) ? parts.max() : parts.sum().pow(1.0 / settings_.norm);
  output.skip = output.norm.isfinite().logical_not().to(at::kFloat);
}

// Rounded to float32 once: the same factor on every layout.
void Engine::clip(const StepOutput& output) {
  if (!settings_.clip_norm) return;
  const at::Tensor factor =
      (*settings_.clip_norm / output.norm.clamp_min(std::numeric_limits<double>::min()))
          .clamp_max(1.0)
          .to(at::kFloat);
  for (const Piece& piece : parameters_.pieces())
    if (piece.gradient.defined() && piece.gradient.numel() > 0) piece.gradient.mul_(factor);
}

StepOutput Engine::train(const StepInput& input) {
  StepOutput output;
  output.step = input.step;
  output.micro_batches = input.micro_batches;
  check_collective_loss(input.rounds);
  const RoundBatches rounds = prepare(input.rounds);
  output.counts = count(input, rounds);
  clock_.enter(StepPhase::optimizer);  // clears the gradients of the step before
  parts_.owner.begin_step({input.step, input.micro_batches, true});
  at::Tensor values = zeros({std::int64_t(rounds.size())});
  accumulate(input.step, on_device(rounds), invert(on_device(output.counts)), values);
  output.records = walk_.take_records();
  if (layout_.repeats()) output.records.clear();

  const at::NoGradGuard no_grad;
  parts_.owner.finish_gradients();
  clock_.enter(StepPhase::optimizer);
  tied_.join();
  reduce(output, values);
  tied_.hand_out();
  clip(output);
  const StepInfo info{
      input.step,
      at::scalar_tensor(optimizers_.learning_rate() * input.learning_rate_factor, at::kDouble),
      output.skip};
  for (Observer* o : parts_.observers) o->before_step(info);
  optimizers_.step(input.step, input.learning_rate_factor, output.skip);
  buffers_.apply(layout_.everyone(), std::int64_t(rounds.size()), output.skip);
  for (Observer* o : parts_.observers) o->after_step(info, parameters_.pieces());
  clock_.enter(StepPhase::host);
  return output;
}

double Engine::evaluate(const EvaluationInput& input) {
  const at::NoGradGuard no_grad;
  Communicator& group = layout_.everyone();
  const RoundBatches batches = prepare(input.rounds);
  const auto rounds = std::int64_t(batches.size());
  check_collective_loss(input.rounds);
  parts_.owner.begin_step({0, input.micro_batches, false});
  at::Tensor mine = zeros({2, rounds});
  const RoundBatches placed = on_device(batches);
  for (std::int64_t r = 0; r != rounds; ++r) {
    const auto& batch = batches[std::size_t(r)];
    const auto& here = placed[std::size_t(r)];
    mine[0][r].copy_(walk_.evaluate(here ? &*here : nullptr, r));
    if (batch && layout_.counts_targets()) mine[1][r].copy_(parts_.loss.counts(*batch));
  }
  const at::Tensor all = at::empty({group.size() * mine.numel()}, mine.options());
  group.all_gather(all, mine.view({-1}))->wait();
  const at::Tensor table = layout_.join(all.view({group.size(), 2, rounds})).cpu();
  double sum = 0, count = 0;
  for (std::int64_t k = 0; k != input.micro_batches; ++k) {
    const at::Tensor rank = table[k % table.size(0)];
    sum += rank[0][k / table.size(0)].item<double>();
    count += rank[1][k / table.size(0)].item<double>();
  }
  return sum / count;
}

std::vector<bool> Engine::recomputed() const {
  return recomputed_units(settings_.recompute, unit_names());
}

VisitResult Engine::visit(const Visit& visit, Tensors hidden, const Batch& batch) {
  return run_unit(
      {parts_.model, chains_, parameters_.leaves(), buffers_, nullptr, &parts_.loss, batch}, visit,
      hidden);
}

void Engine::abort() noexcept {
  try {
    walk_.abort();
    parts_.owner.abort();
  } catch (const std::exception&) {  // what failed first is told
  }
}

void Engine::announce_checkpoint(std::int64_t step) {
  for (Observer* o : parts_.observers) o->on_checkpoint(step);
}

at::Tensor Engine::infer(const Batch& batch) {
  parts_.owner.begin_step({0, 1, false});
  return walk_.infer(batch).to(at::kFloat);
}

at::Tensor Engine::decode(const Batch& batch, KeptStates& kept) {
  parts_.owner.begin_step({0, 1, false});
  return walk_.infer(batch, &kept).to(at::kFloat);
}

}  // namespace mortise::host
