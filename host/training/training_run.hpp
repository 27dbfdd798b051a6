#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "host/failure.hpp"
#include "host/logging/run_log.hpp"
#include "host/training/metric_log.hpp"
#include "host/training/program.hpp"

namespace mortise::host {

// How a run was asked for.
struct TrainingRequest {
  std::string command;                // what a user types to start it again, without --resume
  std::optional<std::string> resume;  // "latest", a step, a path
  std::string resolved;               // the whole configuration
  std::string plugins;                // one line each: id version digest
};

// What a run is made of; lent until it ends.
struct TrainingParts {
  const TrainingRequest& request;
  const RunSettings& settings;
  ModelProgram& model;
  DataProgram& data;
  LearningRateSchedule& schedule;
  RunLog& log;
  // Numbers that components have recorded since the last call.
  std::function<std::map<std::string, double>()> component_metrics;
};

// Trains on this rank to the end or to a request to stop. Collective. Throws Failure.
Exit run_training(const TrainingParts& parts, std::vector<MetricLog::Sink> sinks);

}  // namespace mortise::host
