#pragma once

// What every Loss owes its caller: sums, never means, and gradients that belong to them.

#include <cmath>

#include "../both_ways.hpp"
#include "finite_differences.hpp"
#include "unit_harness.hpp"

namespace mortise::conformance {

struct LossCase {
  std::int64_t vocabulary = 13, width = 6, sequences = 3, length = 5;
  bool by_token = true;  // a target that does not count has no influence, and parts add up
  Differences differences = kFloat32Differences;
};

namespace loss {

// A model that is nothing but a linear head.
class HeadContext final : public UnitContext {
 public:
  static constexpr LayerId kHead{3};
  HeadContext(std::int64_t vocabulary, std::int64_t width)
      : weight(sample_values("head", {vocabulary, width}).to(at::kFloat).requires_grad_(true)) {}

  TensorList apply(LayerId layer, Tensors inputs) override {
    if (layer != kHead)
      throw Error(ErrorCode::bad_argument, "the loss applies a layer that is not the head");
    ++applied;
    return {at::linear(inputs[0], weight)};
  }
  void term(std::string_view name, const at::Tensor& sum, Denominator per, double factor) override {
    if (sum.dim() != 0) throw ShapeError("term " + std::string(name) + " is not 0-d");
    if (!std::isfinite(factor)) throw Error(ErrorCode::bad_argument, "a weight is not finite");
    if (per < Denominator::tokens || per > Denominator::micro_batches)
      throw Error(ErrorCode::bad_argument, "a denominator is not known");
    ++terms;
    total = total.add(sum.to(at::kDouble), factor);
  }
  at::Tensor end(LayerId, const at::Tensor&) override {
    throw Error(ErrorCode::bad_argument, "end() is the model's");
  }
  at::Tensor parameter(ParameterId) override { return weight; }
  at::Tensor buffer(std::string_view) override { return {}; }
  void update(std::string_view, const at::Tensor&) override {}
  void record(std::string_view, const at::Tensor&) override {}

  at::Tensor weight, total = at::zeros({}, at::kDouble);
  int applied = 0, terms = 0;
};

struct Setting {
  LossCase c;
  Batch batch;
  at::Tensor hidden;
  explicit Setting(const LossCase& given)
      : c(given),
        batch(token_batch(c.vocabulary, c.sequences, c.length)),
        hidden(sample_values("hidden", {c.sequences, c.length, c.width}).to(at::kFloat)) {}
};

inline double value(Loss& l, const Setting& s, const at::Tensor& hidden, const Batch& batch) {
  const at::NoGradGuard no_grad;
  HeadContext unit(s.c.vocabulary, s.c.width);
  l.add_terms(unit, HeadContext::kHead, hidden, batch);
  return unit.total.item<double>();
}
inline Batch with_targets(const Batch& batch, const at::Tensor& targets) {
  Batch other = batch;
  other.set("targets", targets);
  return other;
}

inline void check_counts(Loss& l, const Setting& s, Report& report) {
  const at::Tensor n = l.counts(s.batch), targets = s.batch["targets"];
  report.expect(n.dim() == 0 && n.scalar_type() == at::kLong, "counts: is 0-d int64");
  if (s.c.by_token)
    report.expect(n.item<std::int64_t>() == targets.ne(-100).sum().item<std::int64_t>(),
                  "counts: how many targets are not -100");
  const Batch none = with_targets(s.batch, at::full_like(targets, -100));
  report.expect(l.counts(none).item<std::int64_t>() == 0, "counts: 0 where no target counts");
}

inline void check_value(Loss& l, const Setting& s, Report& report) {
  HeadContext unit(s.c.vocabulary, s.c.width);
  l.add_terms(unit, HeadContext::kHead, s.hidden, s.batch);
  report.expect(unit.applied >= 1, "add_terms: applies the head through the unit");
  report.expect(unit.terms >= 1, "add_terms: adds a term");
  const double first = unit.total.item<double>();
  report.expect(std::isfinite(first), "add_terms: the sum is finite");
  report.expect(value(l, s, s.hidden, s.batch) == first,
                "add_terms: the same sum every time, with and without gradients");
  const Batch none = with_targets(s.batch, at::full_like(s.batch["targets"], -100));
  report.expect(value(l, s, s.hidden, none) == 0, "add_terms: the sum is 0 where no target counts");
}

inline void check_parts(Loss& l, const Setting& s, Report& report) {
  double sum = 0;
  for (std::int64_t row = 0; row != s.c.sequences; ++row) {
    Batch one;
    for (const Batch::Entry& e : s.batch.entries()) one.set(e.name, e.value.narrow(0, row, 1));
    sum += value(l, s, s.hidden.narrow(0, row, 1), one);
  }
  const double whole = value(l, s, s.hidden, s.batch);
  report.expect(std::abs(sum - whole) <= 1e-5 * (1 + std::abs(whole)),
                "add_terms: is a sum: the parts of a batch add up to the whole");
  const at::Tensor ignored = s.batch["targets"].eq(-100).unsqueeze(-1);
  report.expect(value(l, s, s.hidden.masked_fill(ignored, 3.0), s.batch) == whole,
                "add_terms: a target of -100 does not count");
}

inline void check_gradients(Loss& l, const Setting& s, Report& report) {
  HeadContext unit(s.c.vocabulary, s.c.width);
  const at::Tensor hidden = s.hidden.clone().requires_grad_(true);
  l.add_terms(unit, HeadContext::kHead, hidden, s.batch);
  unit.total.backward();
  const at::Tensor gradient = hidden.grad();
  if (!report.expect(gradient.defined() && unit.weight.grad().defined(),
                     "add_terms: gradients flow to hidden and to the head's parameters"))
    return;
  report.expect(gradient.isfinite().all().item<bool>(), "add_terms: gradients are finite");
  const at::Tensor leaf = s.hidden.clone();
  report.expect(slope_agrees(
                    "hidden direction", leaf, gradient, [&] { return value(l, s, leaf, s.batch); },
                    s.c.differences),
                "add_terms: gradients equal finite differences");
  if (s.c.by_token)
    report.expect(
        gradient.masked_select(s.batch["targets"].eq(-100).unsqueeze(-1)).eq(0).all().item<bool>(),
        "add_terms: a target of -100 gives no gradient");
}

inline void check_no_targets(Loss& l, const Setting& s, Report& report) {
  HeadContext unit(s.c.vocabulary, s.c.width);
  const at::Tensor hidden = s.hidden.clone().requires_grad_(true);
  l.add_terms(unit, HeadContext::kHead, hidden,
              with_targets(s.batch, at::full_like(s.batch["targets"], -100)));
  if (unit.total.requires_grad()) unit.total.backward();
  report.expect(!hidden.grad().defined() || hidden.grad().eq(0).all().item<bool>(),
                "add_terms: gradients are 0 where no target counts");
}

}  // namespace loss

inline void check_loss_contract(Loss& l, Report& report, LossCase c = {}) {
  const loss::Setting setting(c);
  report.section("counts", [&] { loss::check_counts(l, setting, report); });
  report.section("value", [&] { loss::check_value(l, setting, report); });
  if (c.by_token) report.section("parts", [&] { loss::check_parts(l, setting, report); });
  report.section("gradients", [&] { loss::check_gradients(l, setting, report); });
  report.section("no targets", [&] { loss::check_no_targets(l, setting, report); });
}

}  // namespace mortise::conformance
