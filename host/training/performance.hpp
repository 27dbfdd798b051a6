#pragma once

#include <mortise/run/metric_sink.hpp>
#include <string>

#include "host/engine/step_clock.hpp"

namespace mortise::host {

// What the steps of a run consist of, over all ranks.
struct Performance {
  double tokens_per_step = 0;
  double flops_per_step = 0;
  double peak_flops = 0;  // a second

  // perf/step_ms and its parts, perf/tokens_per_second, perf/mfu.
  void add(const StepTimes& times, StepRecord& record) const;
};

// A line of the start report: what a token costs, and the peak.
std::string compute_line(const Performance& performance, bool stated);

}  // namespace mortise::host
