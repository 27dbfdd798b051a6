#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/config/setting.hpp"

namespace mortise::host {

// How a run was asked for.
struct TrainingRequest {
  std::string command;                // what a user types to start it again, without what follows
  std::string replay;                 // what a user types to repeat one of its steps
  std::optional<std::string> resume;  // "latest", a step, a path
  std::vector<std::string> accept;    // settings that may differ from those of the run that goes on
  const Setting& root;                // the whole configuration
  std::string resolved;               // the same as text
  std::string plugins;                // one line each: id version digest
};

}  // namespace mortise::host
