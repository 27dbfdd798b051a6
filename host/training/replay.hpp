#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "host/logging/run_log.hpp"
#include "host/training/finite_watch.hpp"
#include "host/training/program.hpp"
#include "host/training/run_settings.hpp"

namespace mortise::host {

// Which step of which run is repeated, and from where.
struct ReplayRequest {
  std::int64_t step = 0;             // as the metrics count: that many updates are done after it
  std::filesystem::path run;         // its folder
  std::filesystem::path checkpoint;  // the last complete one before the step; empty: first weights
  bool json = false;
};

// What a replay is made of; lent. `watch` stands in the program.
struct ReplayParts {
  const RunSettings& settings;
  ModelProgram& model;
  DataProgram& data;
  LearningRateSchedule& schedule;
  FiniteWatch& watch;
};

// Repeats the steps from the checkpoint to `step`, holds losses against those that the run has
// recorded, looks at the last step for numbers that are not finite, and returns what to print, the
// same on every rank. Nothing is written. Collective. Throws Failure.
std::string replay(const ReplayParts& parts, const ReplayRequest& request);

}  // namespace mortise::host
