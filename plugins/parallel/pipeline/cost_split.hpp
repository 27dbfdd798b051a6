#pragma once

#include <cstdint>
#include <vector>

namespace mortise_pipeline {

// Cuts a chain of units with these costs into `stages` runs of at least one unit: the dearest run
// is as cheap as can be, and of all such cuts the runs are as even as can be (least sum of
// squares). Returns the first unit of each run. There are at least as many costs as stages, none
// negative.
std::vector<std::int64_t> split_by_cost(const std::vector<double>& costs, std::int64_t stages);

}  // namespace mortise_pipeline
