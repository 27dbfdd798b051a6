#pragma once

#include <mortise/error.hpp>
#include <string>

#include "host/failure.hpp"

namespace mortise::host {

// What a component has thrown, as a Failure with the exit code of its cause. `who` names plugin,
// component and call; `where` is "run.yaml:12:3: model: " or empty.
Failure failure_of(const Error& error, const std::string& who, const std::string& where = "");

}  // namespace mortise::host
