#pragma once

// What every Model owes its caller, whatever its architecture.

#include "../both_ways.hpp"
#include "finite_differences.hpp"
#include "model_lists.hpp"
#include "unit_harness.hpp"

namespace mortise::conformance {

struct ModelCase {
  Batch batch;  // small: each parameter costs two passes over it
  at::ScalarType type = at::kDouble;
  Differences differences = {};
};

namespace model {

inline bool all_finite(const TensorList& tensors) {
  for (const at::Tensor& t : tensors)
    if (t.defined() && !t.isfinite().all().item<bool>()) return false;
  return true;
}
inline bool same_bits(const TensorList& a, const TensorList& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i != a.size(); ++i) {
    if (a[i].defined() != b[i].defined()) return false;
    if (a[i].defined() && !conformance::same_bits(a[i].detach(), b[i].detach())) return false;
  }
  return true;
}

// A visit is a function of its inputs and the seed: not of the phase that repeats it, of the number
// of the micro-batch, or of what was visited before.
inline void check_visits(Model& m, const ModelCase& c, Report& report) {
  UnitHarness harness(m, c.type);
  const auto units = std::int64_t(m.units().size());
  TensorList hidden;
  for (std::int64_t u = 0; u != units; ++u) {
    const auto scope = report.inside("unit " + std::to_string(u));
    const TensorList out = harness.visit({u, 0, Phase::forward, -1, false}, hidden, c.batch);
    const at::Tensor terms = harness.terms().detach().clone();
    report.expect(!out.empty() && all_finite(out), "forward_unit: returns finite tensors");
    for (const Visit& again :
         {Visit{u, 0, Phase::forward, -1, false}, Visit{u, 0, Phase::recompute, -1, false},
          Visit{u, 5, Phase::forward, 0, true}}) {
      report.expect(same_bits(harness.visit(again, hidden, c.batch), out) &&
                        conformance::same_bits(harness.terms().detach(), terms),
                    "forward_unit: is pure: same seed, same output");
    }
    hidden.clear();
    for (const at::Tensor& t : out) hidden.push_back(t.defined() ? t.detach() : t);
  }
  report.expect(hidden.size() == 1 && !hidden[0].defined(),
                "forward_unit: the last unit returns what UnitContext::end gave");
}

inline void check_inference(Model& m, const ModelCase& c, Report& report) {
  const at::NoGradGuard no_grad;
  UnitHarness harness(m, c.type);
  TensorList hidden;
  for (std::int64_t u = 0; u != std::int64_t(m.units().size()); ++u)
    hidden = harness.visit({u, 0, Phase::evaluate, -1, false}, hidden, c.batch);
  const at::Tensor tokens = c.batch["tokens"];
  if (!report.expect(hidden.size() == 1 && hidden[0].defined(),
                     "forward_unit: inference gives logits"))
    return;
  report.expect(hidden[0].dim() == 3 && hidden[0].size(0) == tokens.size(0) &&
                    hidden[0].size(1) == tokens.size(1),
                "forward_unit: logits are [B, T, V]");
  report.expect(all_finite(hidden), "forward_unit: logits are finite");
}

inline void check_gradients(Model& m, const ModelCase& c, Report& report) {
  UnitHarness harness(m, c.type);
  const auto value = [&] { return harness.loss(c.batch).item<double>(); };
  const at::Tensor loss = harness.loss(c.batch);
  if (!report.expect(all_finite({loss}) && loss.requires_grad(),
                     "forward_unit: the loss is finite"))
    return;
  loss.backward();
  for (std::size_t p = 0; p != harness.infos().size(); ++p) {
    const ParameterInfo& info = harness.infos()[p];
    const auto scope = report.inside(info.name);
    const at::Tensor gradient = harness.leaves()[p].grad();
    if (!info.trainable) {
      report.expect(!gradient.defined(), "forward_unit: a frozen parameter has no gradient");
      continue;
    }
    if (!report.expect(gradient.defined(),
                       "forward_unit: every trainable parameter has a gradient"))
      continue;
    report.expect(all_finite({gradient}), "forward_unit: gradients are finite");
    report.expect(
        slope_agrees(info.name + " direction", harness.leaves()[p], gradient, value, c.differences),
        "forward_unit: gradients equal finite differences");
  }
}

}  // namespace model

inline void check_model_contract(Model& m, const ModelCase& c, Report& report) {
  report.section("units", [&] { model::check_units(m, report); });
  report.section("parameters", [&] { model::check_parameters(m, report); });
  report.section("layers", [&] { model::check_layers(m, report); });
  report.section("buffers and placements", [&] { model::check_buffers(m, report); });
  report.section("visits", [&] { model::check_visits(m, c, report); });
  report.section("inference", [&] { model::check_inference(m, c, report); });
  report.section("gradients", [&] { model::check_gradients(m, c, report); });
}

}  // namespace mortise::conformance
