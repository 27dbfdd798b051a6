#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mortise::tests {

// Calls and bytes by "axes operation".
using Counted = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

struct RealRun {
  Counted traffic;        // of one step
  std::int64_t peak = 0;  // bytes of tensors: least of the later steps
};

struct RunFileOf {
  std::string file;
  std::vector<std::string> sets;
};
// Trains six steps of a run file as one rank of `size`. Collective.
RealRun train_for_real(const RunFileOf& of, int rank, int size, const std::filesystem::path& store);

}  // namespace mortise::tests
