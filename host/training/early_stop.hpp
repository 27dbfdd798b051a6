#pragma once

#include <cstdint>
#include <limits>
#include <mortise/run/metric_sink.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "host/training/run_settings.hpp"

namespace mortise::host {

// What run.early_stop has seen; part of every checkpoint.
struct EarlyStopState {
  std::string metric;
  double best = std::numeric_limits<double>::infinity();
  std::int64_t without_better = 0;  // evaluations since the best one
};

// Counts an evaluation of the metric that run.early_stop names; others change nothing. A state of
// another metric begins anew.
void watch(const std::optional<RunSettings::EarlyStop>& rule, const Metric& metric,
           EarlyStopState& state);

// Why the run ends; empty: it does not.
std::string reason_to_stop(const std::optional<RunSettings::EarlyStop>& rule,
                           const EarlyStopState& state);

// As it stands in state.json, and read from there.
nlohmann::ordered_json json_of(const EarlyStopState& state);
EarlyStopState early_stop_of(const nlohmann::ordered_json& saved);

}  // namespace mortise::host
