// What every layer operation owes (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/model/layer_op_contract.hpp>

int main() {
  namespace suite = mortise::conformance;
  suite::Report report;
  suite::LayerOpCase linear;
  linear.own = {suite::sample_parameter("proj.weight", {5, 4}, mortise::Role::matrix, {1})};
  linear.layer = {"proj", "mortise.op/linear/1", {mortise::ParameterId(0)}, {}};
  linear.inputs = {suite::sample_values("input", {3, 4}).to(at::kFloat)};
  MyPlugin scale;
  suite::both_ways<mortise::LayerOp>(scale, report, [&](mortise::LayerOp& op) {
    suite::check_layer_op_contract(op, linear, report);
  });
  const auto link = scale.bind(mortise::LayerId(0), linear.layer, linear.own);
  report.expect(link && link->parameters.at(0).name == "proj.my_plugin",
                "bind: the number is named after the layer");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
