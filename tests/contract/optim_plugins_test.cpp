// Optimizers of our own, held to their contract.

#include "sdk/conformance/optim/optimizer_contract.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

TEST_CASE("adamw: keeps the contract of an optimizer") {
  const std::vector<std::string> none;
  for (const SettingList& settings :
       {SettingList{}, SettingList{{"weight_decay", 0.0}}, SettingList{{"no_decay", none}}}) {
    CAPTURE(settings.empty() ? std::string("defaults") : settings.front().first);
    const LoadedComponent component("adamw", "adamw", settings);
    Report report;
    check_both_ways<Optimizer>(component, report, [&](Optimizer& optimizer) {
      conformance::check_optimizer_contract(optimizer, report);
    });
    check_no_failures(report);
  }
}
