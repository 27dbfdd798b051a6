// What every data set owes (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/data/dataset_contract.hpp>

int main() {
  mortise::conformance::Report report;
  MyPlugin data(MyPlugin::Config{.samples = 50, .numbers = 7, .sequence_length = 4});
  mortise::conformance::both_ways<mortise::Dataset>(data, report, [&](const mortise::Dataset& d) {
    mortise::conformance::check_dataset_contract(d, report, {.sequence_length = 4});
  });
  const std::vector<std::int64_t> indices{5};
  const mortise::Sample sample = data.read(indices).at(0);
  const auto* tokens = sample.arrays.at(0).as<std::int64_t>();
  report.expect(
      std::vector<std::int64_t>(tokens, tokens + 5) == std::vector<std::int64_t>{5, 6, 0, 1, 2},
      "read: counts up and starts again");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
