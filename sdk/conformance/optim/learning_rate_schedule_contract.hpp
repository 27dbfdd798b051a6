#pragma once

// What every LearningRateSchedule owes its caller, whatever its curve.

#include <cmath>
#include <mortise/optim/learning_rate_schedule.hpp>

#include "../at_once.hpp"
#include "../both_ways.hpp"

namespace mortise::conformance {
namespace schedule {

inline Progress at(std::int64_t step, std::int64_t total_steps) {
  Progress p;
  p.step = step;
  p.total_steps = total_steps;
  p.tokens_per_step = 1000;
  p.tokens = step * p.tokens_per_step;
  p.total_tokens = total_steps * p.tokens_per_step;
  p.steps_per_epoch = std::max<std::int64_t>(1, total_steps / 3);
  return p;
}

}  // namespace schedule

// For a run of `total_steps` optimizer updates.
inline void check_learning_rate_schedule_contract(const LearningRateSchedule& s,
                                                  std::int64_t total_steps, Report& report) {
  report.section("factor", [&] {
    std::vector<double> factors;
    for (std::int64_t step = 0; step != total_steps + 3; ++step) {
      factors.push_back(s.factor(schedule::at(step, total_steps)));
      report.expect(std::isfinite(factors.back()), "factor: is finite");
      report.expect(factors.back() >= 0, "factor: is not negative");
    }
    bool same = true;
    for (std::int64_t step = total_steps + 2; step >= 0; --step)
      same = same && s.factor(schedule::at(step, total_steps)) == factors[std::size_t(step)];
    report.expect(same, "factor: depends on the progress alone, in any order of asking");
  });
  report.section("horizon", [&] {
    const double last = s.factor(schedule::at(total_steps, total_steps));
    for (const std::int64_t beyond : {total_steps + 1, total_steps * 2 + 7, total_steps * 1000 + 1})
      report.expect(s.factor(schedule::at(beyond, total_steps)) == last,
                    "factor: past the horizon it is the final one");
  });
  report.section("threads", [&] {
    const double expected = s.factor(schedule::at(1, total_steps));
    std::array<bool, 4> same{};
    run_at_once(4, [&](int thread) {
      bool all = true;
      for (int i = 0; i != 100; ++i)
        all = all && s.factor(schedule::at(1, total_steps)) == expected;
      same[std::size_t(thread)] = all;
    });
    report.expect(same == std::array<bool, 4>{true, true, true, true},
                  "factor: any thread may call, at the same time as others");
  });
}

}  // namespace mortise::conformance
