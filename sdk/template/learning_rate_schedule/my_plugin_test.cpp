// What every schedule owes (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/optim/learning_rate_schedule_contract.hpp>

int main() {
  mortise::conformance::Report report;
  MyPlugin schedule(MyPlugin::Config{.warmup = mortise::steps(4)});
  mortise::conformance::both_ways<mortise::LearningRateSchedule>(
      schedule, report, [&](const mortise::LearningRateSchedule& s) {
        mortise::conformance::check_learning_rate_schedule_contract(s, 100, report);
      });
  const auto factor = [&](std::int64_t step) {
    return schedule.factor(mortise::conformance::schedule::at(step, 100));
  };
  report.expect(factor(0) == 0.25, "factor: the first step is a quarter of the rise");
  report.expect(factor(3) == 1.0, "factor: the peak comes with the last step of the rise");
  report.expect(factor(15) == 0.5, "factor: falls with the root of the step");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
