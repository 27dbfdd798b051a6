#pragma once

#include <mortise/error.hpp>
#include <string>

#include "host/failure.hpp"

namespace mortise::host {

// Where a mistake stands: "run.yaml:12:3: " and the key path; empty where nobody knows.
struct Spot {
  std::string place, path;
};

// What a component has thrown, as a Failure with the exit code of its cause. `who` names plugin,
// component and call; empty where the text says it.
Failure failure_of(const Error& error, const std::string& who, const Spot& spot = {});

}  // namespace mortise::host
