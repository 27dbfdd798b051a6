// What every model owes (the suite: names, purity, gradients against finite differences), and what
// this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/model/model_contract.hpp>

int main() {
  mortise::conformance::Report report;
  MyPlugin model(MyPlugin::Config{.width = 8, .layers = 2, .vocabulary_size = 11});
  const mortise::conformance::ModelCase small{mortise::conformance::token_batch(11, 2, 6)};
  mortise::conformance::both_ways<mortise::Model>(model, report, [&](mortise::Model& m) {
    mortise::conformance::check_model_contract(m, small, report);
  });
  report.expect(model.units() == mortise::Names{"embed", "layers.0", "layers.1", "head"},
                "units: embedding, blocks, head");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
