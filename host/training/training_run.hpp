#pragma once

#include <functional>
#include <map>
#include <string>

#include "host/failure.hpp"
#include "host/logging/run_log.hpp"
#include "host/training/metric_log.hpp"
#include "host/training/program.hpp"
#include "host/training/training_request.hpp"

namespace mortise::host {

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
