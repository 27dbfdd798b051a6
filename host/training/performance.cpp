#include "host/training/performance.hpp"

#include <cstdio>

namespace mortise::host {
namespace {

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

constexpr std::array<const char*, kStepPhases> kNames = {
    "perf/forward_ms",   "perf/backward_ms",  "perf/communication_ms",
    "perf/optimizer_ms", "perf/data_wait_ms", "perf/host_ms"};

}  // namespace

void Performance::add(const StepTimes& times, StepRecord& record) const {
  const double seconds = milliseconds(times.total()) * 1e-3;
  record.values.push_back({"perf/step_ms", milliseconds(times.total())});
  for (std::size_t i = 0; i != kStepPhases; ++i)
    record.values.push_back({kNames[i], milliseconds(times.phases[i])});
  record.values.push_back({"perf/tokens_per_second", tokens_per_step / seconds});
  record.values.push_back({"perf/mfu", flops_per_step / seconds / peak_flops});
}

std::string compute_line(const Performance& p, bool stated) {
  char text[128];
  std::snprintf(text, sizeof text, "compute    %.4g GFLOP a step; peak %.4g GFLOP/s, %s",
                p.flops_per_step * 1e-9, p.peak_flops * 1e-9, stated ? "as stated" : "measured");
  return text;
}

}  // namespace mortise::host
