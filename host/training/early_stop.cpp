#include "host/training/early_stop.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace mortise::host {

void watch(const std::optional<RunSettings::EarlyStop>& rule, const Metric& metric,
           EarlyStopState& state) {
  if (!rule || metric.name != rule->metric) return;
  if (state.metric != metric.name) state = {metric.name};
  if (metric.value < state.best - rule->min_delta) {
    state.best = metric.value;
    state.without_better = 0;
  } else {
    ++state.without_better;
  }
}

std::string reason_to_stop(const std::optional<RunSettings::EarlyStop>& rule,
                           const EarlyStopState& state) {
  if (!rule || state.metric != rule->metric || state.without_better < rule->patience) return "";
  return state.metric + " has not fallen for " + std::to_string(state.without_better) +
         " evaluations";
}

nlohmann::ordered_json json_of(const EarlyStopState& state) {
  nlohmann::ordered_json json = {{"metric", state.metric},
                                 {"without_better", state.without_better}};
  if (std::isfinite(state.best)) json["best"] = state.best;
  return json;
}

EarlyStopState early_stop_of(const nlohmann::ordered_json& saved) {
  EarlyStopState state;
  const auto json = saved.value("early_stop", nlohmann::ordered_json::object());
  state.metric = json.value("metric", state.metric);
  state.best = json.value("best", state.best);
  state.without_better = json.value("without_better", state.without_better);
  return state;
}

}  // namespace mortise::host
