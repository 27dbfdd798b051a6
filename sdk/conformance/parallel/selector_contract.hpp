#pragma once

// What every Selector owes its caller.

#include <mortise/parallel/schedule_fault.hpp>

#include "../both_ways.hpp"

namespace mortise::conformance {

inline void check_selector_contract(Selector& s, Report& report) {
  for (std::int64_t stages = 1; stages <= 4; ++stages)
    for (std::int64_t units = stages; units <= 6; ++units)
      for (const std::int64_t count : {stages, stages + 3}) {
        const auto scope =
            report.inside(std::to_string(stages) + " stages, " + std::to_string(units) +
                          " units, " + std::to_string(count) + " micro-batches");
        report.section("schedule", [&] {
          const std::string fault = schedule_fault(s, stages, units, count);
          report.expect(fault.empty(), "schedule: a step runs to its end: " + fault);
          report.expect(
              s.schedule(0, stages, units, count) == s.schedule(0, stages, units, count) &&
                  s.units(0, stages, units) == s.units(0, stages, units),
              "units, schedule: equal every time");
        });
      }
  report.section("weigh", [&] {
    s.weigh(
        {{"embed", 900, 0}, {"a", 40, 240}, {"b", 40, 240}, {"c", 80, 480}, {"head", 900, 5400}});
    for (std::int64_t stages = 1; stages <= 5; ++stages) {
      const std::string fault = schedule_fault(s, stages, 5, stages);
      report.expect(
          fault.empty(),
          std::to_string(stages) + " stages of weighed units: a step runs to its end: " + fault);
    }
  });
}

}  // namespace mortise::conformance
