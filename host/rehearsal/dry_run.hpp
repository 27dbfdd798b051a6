#pragma once

#include <string>
#include <vector>

#include "host/rehearsal/rehearsal.hpp"

namespace mortise::host {

constexpr int kMostRehearsed = 65536;  // ranks

// What a run on so many ranks would do, told by a few of them: the first and the last of each
// stage.
struct DryRun {
  std::int64_t ranks = 1;
  std::vector<std::string> start;  // lines of the start report
  std::int64_t tokens_per_step = 0, micro_batches = 0, idle = 0;
  bool measured_whole = true;  // false: activations come from shorter sequences
  bool has_whole_matrices = false;
  std::vector<RankFigures> rehearsed;
};

// The ranks to be rehearsed of a run whose slowest axis has `stages` places.
std::vector<std::int64_t> ranks_to_rehearse(std::int64_t ranks, std::int64_t stages);

// The share of a step in which stages wait for each other, if units take what they cost in
// operations, backward twice as long as forward, and messages take no time. 0 for one stage.
double bubble_of(const std::vector<RankFigures>& rehearsed);

// For people, or as JSON for programs.
std::string told(const DryRun& run, bool json);

}  // namespace mortise::host
