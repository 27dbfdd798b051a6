#include "host/engine/unit_walk.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "host/engine/visit_seed.hpp"

namespace mortise::host {
namespace {

// Detached from the graph of the unit before; floating tensors become leaves of a new one.
TensorList cut(const TensorList& hidden) {
  TensorList inputs;
  for (const at::Tensor& t : hidden) {
    inputs.push_back(t.detach());
    if (t.is_floating_point()) inputs.back().set_requires_grad(true);
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

void add_terms(at::Tensor& total, const std::vector<Term>& terms, const Inverses& inverses) {
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
    : parts_(parts), recompute_(std::move(recompute)) {
  recompute_.resize(std::size_t(units()));
}

VisitRequest UnitWalk::request(const Batch& batch) const {
  return {parts_.model, parts_.chains, parts_.parameters.leaves(), parts_.loss, batch};
}

// Of the visit that counts: a recomputed one stands for the one before it.
void UnitWalk::keep_records(const VisitResult& result) {
  for (const auto& [name, value] : result.records) {
    at::Tensor& sum = records_[name];
    sum = sum.defined() ? sum + value : value;
  }
}

at::Tensor UnitWalk::train(const Batch* batch, const WalkStep& step, const Inverses& inverses) {
  const std::int64_t last = units() - 1;
  std::vector<Saved> saved;
  saved.resize(std::size_t(units()));
  TensorList hidden;
  for (std::int64_t u = 0; u <= last; ++u) {
    const Visit visit{u, step.micro_batch, Phase::forward, std::min(u + 1, last),
                      step.last_of_step};
    hidden = forward_unit(visit, batch, hidden, step, saved[std::size_t(u)]);
  }
  hidden.clear();
  at::Tensor total = at::zeros({}, at::kDouble);
  TensorList gradients;
  for (std::int64_t u = last; u >= 0; --u) {
    const std::int64_t next = u > 0 ? u - 1 : step.last_of_step ? -1 : 0;
    const Visit visit{u, step.micro_batch, Phase::backward, next, step.last_of_step};
    gradients =
        backward_unit(visit, batch, gradients, step, inverses, saved[std::size_t(u)], total);
  }
  return total;
}

TensorList UnitWalk::forward_unit(Visit visit, const Batch* batch, const TensorList& hidden,
                                  const WalkStep& step, Saved& saved) {
  parts_.clock.enter(StepPhase::forward);
  parts_.owner.before(visit);
  TensorList outputs;
  if (batch != nullptr) {
    seed_visit(step.seed, step.step, visit);
    saved.inputs = cut(hidden);
    const bool drop = recompute_[std::size_t(visit.unit)];
    const at::AutoGradMode mode(!drop);
    VisitResult result = run_unit(request(*batch), visit, saved.inputs);
    outputs = result.outputs;
    if (!drop) {
      saved.outputs = std::move(result.outputs);
      saved.terms = std::move(result.terms);
      keep_records(result);
    }
  }
  parts_.owner.after(visit);
  return outputs;
}

TensorList UnitWalk::backward_unit(Visit visit, const Batch* batch, const TensorList& gradients,
                                   const WalkStep& step, const Inverses& inverses, Saved& saved,
                                   at::Tensor& total) {
  parts_.clock.enter(StepPhase::backward);
  parts_.owner.before(visit);
  TensorList of_inputs, of_parameters(parts_.parameters.trainable_of(visit.unit).size());
  if (batch != nullptr) {
    if (recompute_[std::size_t(visit.unit)]) {
      Visit again = visit;
      again.phase = Phase::recompute;
      seed_visit(step.seed, step.step, again);
      VisitResult result = run_unit(request(*batch), again, saved.inputs);
      saved.outputs = std::move(result.outputs);
      saved.terms = std::move(result.terms);
      keep_records(result);
    }
    run_backward(saved.outputs, gradients, saved.terms, inverses);
    add_terms(total, saved.terms, inverses);
    for (const at::Tensor& t : saved.inputs) of_inputs.push_back(t.grad());
    of_parameters = parts_.parameters.take_gradients(visit.unit);
    saved = {};
  }
  parts_.owner.gradients_ready(visit, of_parameters);
  parts_.owner.after(visit);
  return of_inputs;
}

at::Tensor UnitWalk::evaluate(const Batch* batch, std::int64_t micro_batch) {
  const at::NoGradGuard no_grad;
  at::Tensor total = at::zeros({}, at::kDouble);
  TensorList hidden;
  for (std::int64_t u = 0; u != units(); ++u) {
    const Visit visit{u, micro_batch, Phase::evaluate, u + 1 < units() ? u + 1 : -1, false};
    parts_.owner.before(visit);
    if (batch != nullptr) {
      VisitResult result = run_unit(request(*batch), visit, hidden);
      hidden = std::move(result.outputs);
      for (const Term& t : result.terms)
        if (t.per == Denominator::tokens) total.add_(t.sum.to(at::kDouble), t.weight);
    }
    parts_.owner.after(visit);
  }
  return total;
}

at::Tensor UnitWalk::infer(const Batch& batch) {
  const at::NoGradGuard no_grad;
  VisitRequest ask = request(batch);
  ask.loss = nullptr;
  TensorList hidden;
  for (std::int64_t u = 0; u != units(); ++u) {
    const Visit visit{u, 0, Phase::evaluate, u + 1 < units() ? u + 1 : -1, false};
    parts_.owner.before(visit);
    hidden = run_unit(ask, visit, hidden).outputs;
    parts_.owner.after(visit);
  }
  return hidden.at(0);
}

}  // namespace mortise::host
