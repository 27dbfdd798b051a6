#pragma once

// What every Optimizer owes its caller, whatever its rule.

#include <mortise/optim/optimizer.hpp>
#include <set>

#include "../both_ways.hpp"
#include "../model/sample_parameters.hpp"

namespace mortise::conformance {
namespace optimizer {

inline Shape slot_shape(const Slot& slot, const ParameterInfo& info) {
  const std::int64_t rows = info.shape.front(),
                     columns = info.shape.size() > 1 ? info.shape.back() : 1;
  switch (slot.like) {
    case SlotLike::row:
      return {rows};
    case SlotLike::column:
      return {columns};
    case SlotLike::scalar:
      return {};
    case SlotLike::own:
      return slot.shape;
    default:
      return {padded(whole_box(info.shape).count())};
  }
}

// One whole piece for each parameter that the optimizer takes, as the host makes them.
inline std::vector<Piece> make_pieces(Optimizer& o, Report& report) {
  std::vector<Piece> pieces;
  const std::vector<ParameterInfo> infos = sample_parameters();
  for (std::size_t i = 0; i != infos.size(); ++i) {
    if (!infos[i].trainable) continue;
    const std::optional<SlotPlan> plan = o.slots(ParameterId(i), infos[i]);
    if (!plan) continue;
    Piece piece = empty_piece(ParameterId(i), whole_box(infos[i].shape));
    front_of(piece.master, piece.box).copy_(sample_values(infos[i].name, infos[i].shape).flatten());
    std::set<std::string> names;
    for (const Slot& slot : plan->slots) {
      report.expect(!slot.name.empty() && names.insert(slot.name).second,
                    "slots: names are unique and not empty");
      report.expect(slot.like >= SlotLike::parameter && slot.like <= SlotLike::own,
                    "slots: the extent is known");
      report.expect(slot.dtype == DType::float32, "slots: are float32 in this version");
      piece.slots.push_back(at::zeros(slot_shape(slot, infos[i])));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

inline void set_gradients(const std::vector<Piece>& pieces, std::int64_t step) {
  for (const Piece& p : pieces)
    front_of(p.gradient, p.box)
        .copy_(sample_values(
            "gradient " + std::to_string(step) + " " + std::to_string(std::int64_t(p.parameter)),
            {p.box.count()}));
}
inline StepInfo step_info(std::int64_t step, bool skip) {
  return {step, at::full({}, 1e-2, at::kDouble), at::full({}, skip ? 1.0 : 0.0, at::kFloat)};
}

inline TensorList copies(const std::vector<Piece>& pieces, bool gradients) {
  TensorList all;
  for (const Piece& p : pieces) {
    if (gradients) {
      all.push_back(p.gradient.clone());
      continue;
    }
    all.push_back(p.master.clone());
    for (const at::Tensor& s : p.slots) all.push_back(s.clone());
  }
  return all;
}
inline bool all_same(const TensorList& a, const TensorList& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; i != a.size() && same; ++i) same = same_bits(a[i], b[i]);
  return same;
}

inline void check_steps(Optimizer& o, Report& report) {
  const std::vector<Piece> pieces = make_pieces(o, report);
  const TensorList before = copies(pieces, false);
  for (std::int64_t step = 0; step != 3; ++step) {
    set_gradients(pieces, step);
    const TensorList gradients = copies(pieces, true);
    o.step(pieces, step_info(step, false));
    report.expect(all_same(copies(pieces, true), gradients),
                  "step: gradients are read, never written");
  }
  for (const Piece& p : pieces) {
    report.expect(p.master.isfinite().all().item<bool>(), "step: masters stay finite");
    report.expect(padding_is_zero(p.master, p.box), "step: padding of a master stays zero");
    for (const at::Tensor& s : p.slots)
      if (s.numel() == p.master.numel() && s.dim() == 1)
        report.expect(padding_is_zero(s, p.box), "step: padding of a slot stays zero");
  }
  report.expect(pieces.empty() || !all_same(copies(pieces, false), before),
                "step: changes the masters");
}

// Whatever the gradient holds, and between other steps.
inline void check_skip(Optimizer& o, Report& report) {
  const std::vector<Piece> pieces = make_pieces(o, report);
  set_gradients(pieces, 0);
  o.step(pieces, step_info(0, false));
  const TensorList before = copies(pieces, false);
  for (const double bad :
       {1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const Piece& p : pieces) front_of(p.gradient, p.box).fill_(bad);
    o.step(pieces, step_info(1, true));
    report.expect(all_same(copies(pieces, false), before),
                  "step: when skip is 1, masters and slots stay untouched, to the bit");
  }
}

// The same values from the same pieces, and whatever order they come in.
inline void check_repeat(Optimizer& o, Report& report) {
  std::vector<Piece> first = make_pieces(o, report), second = make_pieces(o, report);
  std::reverse(second.begin(), second.end());
  for (std::int64_t step = 0; step != 2; ++step) {
    set_gradients(first, step);
    set_gradients(second, step);
    o.step(first, step_info(step, false));
    o.step(second, step_info(step, false));
  }
  std::reverse(second.begin(), second.end());
  report.expect(all_same(copies(first, false), copies(second, false)),
                "step: all state lies in masters and slots");
}

inline void check_empty(Optimizer& o, Report& report) {
  std::vector<Piece> pieces = make_pieces(o, report);
  o.step({}, step_info(0, false));
  for (Piece& p : pieces) {  // a rank that owns no row of a parameter
    p.box.size[0] = 0;
    for (at::Tensor& s : p.slots)
      if (s.numel() == p.master.numel() && s.dim() == 1) s = at::zeros({0});
    p.master = at::zeros({0});
    p.gradient = at::zeros({0});
  }
  o.step(pieces, step_info(0, false));
  o.step(pieces, step_info(1, true));
}

}  // namespace optimizer

inline void check_optimizer_contract(Optimizer& o, Report& report) {
  report.section("steps", [&] { optimizer::check_steps(o, report); });
  report.section("skipped steps", [&] { optimizer::check_skip(o, report); });
  report.section("repeated steps", [&] { optimizer::check_repeat(o, report); });
  report.section("empty pieces", [&] { optimizer::check_empty(o, report); });
}

}  // namespace mortise::conformance
