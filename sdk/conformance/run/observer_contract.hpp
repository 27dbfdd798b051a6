#pragma once

// What every Observer owes its caller: it watches, and what it changes stays a parameter.

#include <mortise/run/observer.hpp>

#include "../both_ways.hpp"
#include "../model/sample_parameters.hpp"

namespace mortise::conformance {

inline void check_observer_contract(Observer& o, Report& report) {
  std::vector<Piece> pieces;
  const std::vector<ParameterInfo> infos = sample_parameters();
  for (std::size_t i = 0; i != infos.size(); ++i) {
    Piece piece = empty_piece(ParameterId(i), whole_box(infos[i].shape));
    front_of(piece.master, piece.box).copy_(sample_values(infos[i].name, infos[i].shape).flatten());
    pieces.push_back(std::move(piece));
  }
  report.section("begin", [&] { o.begin(infos, pieces); });
  report.section("a run", [&] {
    for (std::int64_t step = 0; step != 4; ++step) {
      const StepInfo info{step, at::full({}, 1e-2, at::kDouble),
                          at::full({}, step == 2 ? 1.0 : 0.0, at::kFloat)};
      o.before_step(info);
      for (const Piece& p : pieces) front_of(p.master, p.box).add_(0.1);
      o.after_step(info, pieces);
      if (step % 2 == 1) o.on_checkpoint(step + 1);
    }
  });
  for (const Piece& p : pieces) {
    report.expect(p.master.isfinite().all().item<bool>(), "after_step: masters stay finite");
    report.expect(padding_is_zero(p.master, p.box), "after_step: padding stays zero");
    report.expect(p.gradient.eq(0).all().item<bool>(),
                  "after_step: gradients are read, never written");
  }
}

// A second run of the same component, on a rank that owns nothing.
inline void check_observer_without_pieces(Observer& o, Report& report) {
  report.section("a rank without pieces", [&] {
    o.begin(sample_parameters(), {});
    o.before_step({0, at::zeros({}, at::kDouble), at::zeros({}, at::kFloat)});
    o.after_step({0, at::zeros({}, at::kDouble), at::zeros({}, at::kFloat)}, {});
  });
}

}  // namespace mortise::conformance
