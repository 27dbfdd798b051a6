#pragma once

#include <string>
#include <vector>

#include "host/training/horizon.hpp"
#include "host/training/program.hpp"

namespace mortise::host {

// What a run is about to do, in a few lines for people.
std::vector<std::string> start_report(const RunSettings& settings, const Horizon& horizon,
                                      ModelProgram& model, DataProgram& data,
                                      std::int64_t first_step);

}  // namespace mortise::host
