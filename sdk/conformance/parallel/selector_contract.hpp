#pragma once

// What every Selector owes its caller.

#include <mortise/parallel/schedule_fault.hpp>

#include "../both_ways.hpp"

namespace mortise::conformance {

inline void check_selector_contract(const Selector& s, Report& report) {
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
}

}  // namespace mortise::conformance
