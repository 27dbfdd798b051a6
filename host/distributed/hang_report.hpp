#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/distributed/whereabouts.hpp"

namespace mortise::host {

// What one rank was doing when a collective had failed.
struct RankReport {
  struct Calls {  // the last ones in one group
    std::uint64_t id = 0, first = 0;
    std::string label;
    std::vector<Call> calls;
  };
  std::int64_t rank = 0;
  bool answers = true;
  std::string state;  // "stopped", "ended", or ""
  std::int64_t step = 0, unit = -1;
  bool waits = false;
  AwaitedCall awaited;
  std::string group;  // of the call, or ""
  double seconds = 0;
  std::vector<Calls> traces;
};

// Of a rank on this machine. `kept` is the most calls of a group that are taken over.
RankReport report_of(const Whereabouts& where, std::int64_t rank, std::uint64_t kept);

// For the way through a store. The second throws where the text is none of the first.
std::string as_text(const RankReport& report);
RankReport report_from(const std::string& text);

// One line for each rank under a heading: rank, step, unit, operation, number of the call, bytes,
// seconds waited. Ranks that wait for nothing come first; at most 16 lines.
std::string hang_table(std::vector<RankReport> reports);

// The first call in which two ranks of a group differ, as a sentence, or "".
std::string where_calls_part(const std::vector<RankReport>& reports);

}  // namespace mortise::host
