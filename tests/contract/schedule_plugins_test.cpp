// Learning-rate schedules of our own, held to their contract.

#include <doctest/doctest.h>

#include "sdk/conformance/optim/learning_rate_schedule_contract.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/no_failures.hpp"

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

TEST_CASE(
    "warmup_cosine, linear, constant: keep the contract of a schedule, whatever the warm-up") {
  // Not here: a warm-up that is longer than the run, which goes on rising past the horizon.
  const Amount tokens{20000, Amount::Unit::tokens}, epochs{0.5, Amount::Unit::epochs};
  for (const char* name : {"warmup_cosine", "linear", "constant"})
    for (const Amount& warmup :
         {steps(0), steps(1), steps(10), steps(500), percent(2), tokens, epochs})
      for (const std::int64_t total_steps : {1, 2, 110}) {
        if (warmup.in_steps(conformance::schedule::at(0, total_steps)) > total_steps) continue;
        CAPTURE(name);
        CAPTURE(warmup.value);
        CAPTURE(int(warmup.unit));
        CAPTURE(total_steps);
        const LoadedComponent component(name, name, {{"warmup", warmup}});
        Report report;
        check_both_ways<LearningRateSchedule>(
            component, report, [&](const LearningRateSchedule& s) {
              conformance::check_learning_rate_schedule_contract(s, total_steps, report);
            });
        check_no_failures(report);
      }
}
