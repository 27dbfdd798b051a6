#include "host/engine/unit_walk.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "host/distributed/whereabouts.hpp"
#include "host/engine/visit_seed.hpp"

namespace mortise::host {
namespace {

// Detached from the graph of the unit before; floating tensors become leaves of a new one, if a
// unit below wants their gradients.
TensorList cut(const TensorList& hidden, bool wants_gradients) {
  TensorList inputs;
  for (const at::Tensor& t : hidden) {
    inputs.push_back(t.detach());
    if (wants_gradients && t.is_floating_point()) inputs.back().set_requires_grad(true);
  }
  return inputs;
}

// Outputs without a gradient, and gradients that never came, are no roots.
void run_backward(const TensorList& outputs, const TensorList& gradients,
                  const std::vector<Term>& terms, const Inverses& inverses) {
  TensorList roots, seeds;
  for (const Term& t : terms)
    if (t.sum.requires_grad()) {
      roots.push_back(t.sum);
      seeds.push_back((inverses.of(t.per) * t.weight).to(t.sum.scalar_type()));
    }
  for (std::size_t i = 0; i != outputs.size() && i != gradients.size(); ++i)
    if (gradients[i].defined() && outputs[i].defined() && outputs[i].requires_grad()) {
      roots.push_back(outputs[i]);
      seeds.push_back(gradients[i]);
    }
  if (!roots.empty()) torch::autograd::backward(roots, seeds);
}

template <class Map>
auto take(Map& map, const typename Map::key_type& key) {
  auto node = map.extract(key);
  return node.empty() ? typename Map::mapped_type() : std::move(node.mapped());
}

std::vector<std::int64_t> sizes_of(const Batch& batch) {
  std::vector<std::int64_t> sizes;
  for (const Batch::Entry& e : batch.entries())
    sizes.insert(sizes.end(), e.value.sizes().begin(), e.value.sizes().end());
  return sizes;
}

void add_terms(at::Tensor total, const std::vector<Term>& terms, const Inverses& inverses) {
  for (const Term& t : terms)
    total.add_(t.sum.detach().to(at::kDouble) * inverses.of(t.per), t.weight);
}

}  // namespace

const at::Tensor& Inverses::of(Denominator per) const {
  switch (per) {
    case Denominator::tokens:
      return tokens;
    case Denominator::samples:
      return samples;
    case Denominator::micro_batches:
      return micro_batches;
  }
  throw Error(ErrorCode::not_supported,
              "a term is divided by something that this host cannot count");
}

UnitWalk::UnitWalk(Parts parts, std::vector<bool> recompute)
    : parts_(parts),
      recompute_(std::move(recompute)),
      mail_(parts.layout.stages(), parts.layout.stages_back(), parts.layout.device()) {
  recompute_.resize(std::size_t(parts_.layout.model_units()));
}

VisitRequest UnitWalk::request(const Batch& batch) const {
  return {parts_.model, parts_.chains, parts_.parameters.leaves(), parts_.buffers, nullptr,
          parts_.loss,  batch};
}

std::int64_t UnitWalk::micro_batch_of(std::int64_t round) const {
  const Communicator& group = parts_.layout.micro_batches();
  return round * group.size() + group.rank();
}

// Of the visit that counts: a recomputed one stands for the one before it.
void UnitWalk::keep(const VisitResult& result, const Visit& visit) {
  parts_.buffers.offer(visit.micro_batch / parts_.layout.micro_batches().size(), result.updates);
  for (const auto& [name, value] : result.records) {
    at::Tensor& sum = records_[name];
    sum = sum.defined() ? sum + value : value;
  }
}

void UnitWalk::train(const WalkStep& step, const std::vector<PlannedAction>& schedule) {
  for (const PlannedAction& planned : schedule) act(planned, step);
  mail_.finish();
  activations_.clear();  // the last unit's, which nobody takes
  gradients_.clear();
}

void UnitWalk::act(const PlannedAction& planned, const WalkStep& step) {
  using Kind = Action::Kind;
  const Action& a = planned.action;
  whereabouts().unit.store(a.unit, std::memory_order_relaxed);
  const auto& batch = step.rounds[std::size_t(a.micro_batch)];
  const Place here{a.unit, a.micro_batch}, below{a.unit - 1, a.micro_batch};
  const std::int64_t micro_batch = micro_batch_of(a.micro_batch);
  const bool is_forward = a.kind == Kind::forward;
  const Visit visit{a.unit, micro_batch, is_forward ? Phase::forward : Phase::backward,
                    planned.next_unit, planned.last_of_step};
  parts_.clock.enter(is_forward ? StepPhase::forward : StepPhase::backward);
  if (is_forward) return forward(visit, here, step);
  if (a.kind == Kind::backward) return backward(visit, planned, step);
  if (a.kind == Kind::weight_backward) return finish_weights(visit, here);
  if (!batch) return;
  const Letter up{a.peer, false, a.unit, a.micro_batch, sizes_of(*batch)};
  const Letter down{a.peer, false, a.unit - 1, a.micro_batch, up.batch_sizes};
  const auto of_gradients = [](Letter letter) {
    letter.gradients = true;
    return letter;
  };
  if (a.kind == Kind::send_activations)
    mail_.send(up, take(activations_, here));
  else if (a.kind == Kind::receive_activations)
    activations_[below] = mail_.receive(down);
  else if (a.kind == Kind::send_gradients)
    mail_.send(of_gradients(down), take(gradients_, below));
  else
    gradients_[here] = mail_.receive(of_gradients(up));
}

void UnitWalk::forward(const Visit& visit, Place here, const WalkStep& step) {
  const auto& batch = step.rounds[std::size_t(here.second)];
  parts_.owner.before(visit);
  if (batch) {
    seed_visit(step.seed, step.step, visit);
    TensorList hidden = take(activations_, {here.first - 1, here.second});
    if (visit.unit < parts_.parameters.first_trainable())
      activations_[here] = run_without_backward(visit, here, hidden, *batch, step);
    else
      activations_[here] = run_for_backward(visit, here, hidden, *batch);
  }
  parts_.owner.after(visit);
}

TensorList UnitWalk::run_for_backward(const Visit& visit, Place here, const TensorList& hidden,
                                      const Batch& batch) {
  Saved& saved = saved_[here];
  saved.inputs = cut(hidden, visit.unit > parts_.parameters.first_trainable());
  const bool drop = recompute_[std::size_t(visit.unit)];
  const at::AutoGradMode mode(!drop);
  VisitResult result = run_unit(request(batch), visit, saved.inputs);
  if (drop) return std::move(result.outputs);
  saved.outputs = result.outputs;
  saved.terms = std::move(result.terms);
  keep(result, visit);
  return std::move(result.outputs);
}

// A unit below the first trainable one: nothing is kept of it.
TensorList UnitWalk::run_without_backward(const Visit& visit, Place here, const TensorList& hidden,
                                          const Batch& batch, const WalkStep& step) {
  const at::NoGradGuard no_grad;
  VisitResult result = run_unit(request(batch), visit, hidden);
  add_terms(step.values[here.second], result.terms, step.inverses);
  keep(result, visit);
  return std::move(result.outputs);
}

void UnitWalk::backward(const Visit& visit, const PlannedAction& planned, const WalkStep& step) {
  const Place here{visit.unit, planned.action.micro_batch};
  const auto& batch = step.rounds[std::size_t(here.second)];
  parts_.owner.before(visit);
  if (batch) {
    Saved& saved = saved_[here];
    if (recompute_[std::size_t(visit.unit)]) {
      Visit again = visit;
      again.phase = Phase::recompute;
      seed_visit(step.seed, step.step, again);
      VisitResult result = run_unit(request(*batch), again, saved.inputs);
      saved.outputs = std::move(result.outputs);
      saved.terms = std::move(result.terms);
      keep(result, visit);
    }
    {
      const WeightGradientQueue::Collecting collecting(parts_.weight_gradients, saved.tasks);
      run_backward(saved.outputs, take(gradients_, here), saved.terms, step.inverses);
    }
    add_terms(step.values[here.second], saved.terms, step.inverses);
    if (visit.unit > parts_.parameters.first_trainable()) {
      TensorList& of_inputs = gradients_[{here.first - 1, here.second}];
      for (const at::Tensor& t : saved.inputs) of_inputs.push_back(t.grad());
    }
    saved = {{}, {}, {}, parts_.parameters.take_gradients(visit.unit), std::move(saved.tasks)};
  }
  if (planned.gives_gradients) finish_weights(visit, here);
  parts_.owner.after(visit);
}

void UnitWalk::finish_weights(const Visit& visit, Place here) {
  Saved saved = take(saved_, here);
  TensorList& gradients = saved.parameter_gradients;
  gradients.resize(parts_.parameters.trainable_of(visit.unit).size());
  if (!saved.tasks.empty()) {
    const at::NoGradGuard no_grad;
    for (const auto& task : saved.tasks) task->run();
    const TensorList more = parts_.parameters.take_gradients(visit.unit);
    for (std::size_t i = 0; i != more.size(); ++i)
      if (more[i].defined())
        gradients[i] = gradients[i].defined() ? gradients[i] + more[i] : more[i];
  }
  parts_.owner.gradients_ready(visit, gradients);
}

at::Tensor UnitWalk::evaluate(const Batch* batch, std::int64_t round) {
  const at::NoGradGuard no_grad;
  const Layout& layout = parts_.layout;
  at::Tensor total = at::zeros({}, at::TensorOptions(layout.device()).dtype(at::kDouble));
  TensorList hidden;
  for (auto unit = layout.units().begin(); unit != layout.units().end(); ++unit) {
    const std::int64_t u = *unit, next = unit + 1 != layout.units().end() ? unit[1] : -1;
    const Visit visit{u, micro_batch_of(round), Phase::evaluate, next, false};
    whereabouts().unit.store(u, std::memory_order_relaxed);
    if (batch != nullptr && u > 0 && layout.stage_of(u - 1) != layout.stage())
      hidden =
          mail_.receive({layout.stage_of(u - 1), false, u - 1, round, sizes_of(*batch), false});
    parts_.owner.before(visit);
    if (batch != nullptr) {
      VisitResult result = run_unit(request(*batch), visit, hidden);
      hidden = std::move(result.outputs);
      for (const Term& t : result.terms)
        if (t.per == Denominator::tokens) total.add_(t.sum.to(at::kDouble), t.weight);
    }
    parts_.owner.after(visit);
    if (batch != nullptr && u + 1 != layout.model_units() &&
        layout.stage_of(u + 1) != layout.stage())
      mail_.send({layout.stage_of(u + 1), false, u, round, sizes_of(*batch), false}, hidden);
  }
  mail_.finish();
  return total;
}

at::Tensor UnitWalk::infer(const Batch& batch, KeptStates* kept) {
  const at::NoGradGuard no_grad;
  VisitRequest ask = request(batch);
  ask.loss = nullptr;
  ask.kept = kept;
  const Phase phase = kept == nullptr ? Phase::evaluate : Phase::decode;
  TensorList hidden;
  const std::int64_t units = parts_.layout.model_units();
  for (std::int64_t u = 0; u != units; ++u) {
    const Visit visit{u, 0, phase, u + 1 < units ? u + 1 : -1, false};
    parts_.owner.before(visit);
    hidden = run_unit(ask, visit, hidden).outputs;
    parts_.owner.after(visit);
  }
  return hidden.at(0);
}

void UnitWalk::abort() {
  saved_.clear();
  activations_.clear();
  gradients_.clear();
  mail_.finish();
}

}  // namespace mortise::host
