#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/distributed/mesh.hpp"
#include "host/failure.hpp"
#include "host/logging/run_log.hpp"
#include "host/training/data_feed.hpp"
#include "host/training/metric_log.hpp"
#include "host/training/program.hpp"
#include "host/training/run_folder.hpp"

namespace mortise::host {

// How a run was asked for.
struct TrainingRequest {
  std::string command;                // what a user types to start it again, without --resume
  std::optional<std::string> resume;  // "latest", a step, a path
  std::string resolved;               // the whole configuration
  std::string plugins;                // one line each: id version file
};

// One training run on this rank, from wired components to the last checkpoint.
class TrainingRun {
 public:
  TrainingRun(const TrainingRequest& request, const RunSettings& settings, ModelProgram& model,
              DataProgram& data, RunLog& log, std::int64_t rank);
  ~TrainingRun();

  // Trains to the end or to a request to stop. Collective. Throws Failure.
  Exit run(std::vector<MetricLog::Sink> sinks, LearningRateSchedule& schedule);

 private:
  class Loop;
  const TrainingRequest& request_;
  const RunSettings& settings_;
  ModelProgram& model_;
  DataProgram& data_;
  RunLog& log_;
  std::int64_t rank_;
};

}  // namespace mortise::host
