// What every optimizer owes (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/optim/optimizer_contract.hpp>

int main() {
  namespace suite = mortise::conformance;
  suite::Report report;
  MyPlugin optimizer(MyPlugin::Config{.momentum = 0.5});
  suite::both_ways<mortise::Optimizer>(optimizer, report, [&](mortise::Optimizer& o) {
    suite::check_optimizer_contract(o, report);
  });
  mortise::Piece piece = suite::empty_piece(mortise::ParameterId(0), suite::whole_box({1}));
  piece.slots = {at::zeros_like(piece.master)};
  suite::front_of(piece.gradient, piece.box).fill_(1);
  const at::Tensor rate = at::full({}, 0.5, at::kDouble), go_on = at::zeros({});
  for (const std::int64_t step : {0, 1}) optimizer.step({piece}, {step, rate, go_on});
  report.expect(piece.master[0].item<float>() == -1.25F,
                "step: goes by the gradient, then by one and a half of it");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
