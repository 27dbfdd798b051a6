#pragma once

#include "tests/fault/faulty_run.hpp"

namespace mortise::tests {

// A moment in the life of a rank of a run that goes on from step 8.
struct Moment {
  const char* name;    // "load": before the first collective; "forward", "evaluation", "save"
  const char* place;   // as a message says it
  const char* waited;  // what another rank waited in
};
inline constexpr Moment kMoments[] = {
    {"load", "at the start", "the rendezvous"},
    {"forward", "after 9 steps", "all_gather, dp #"},
    {"evaluation", "in the evaluation after 10 steps", ", dp #"},
    {"save", "saving step 12", "all_gather, dp #"},
};

// What happens to one rank: `how` is "kill" or "stop".
struct RankFault {
  const Moment& moment;
  const char* how;
  int lost;
};

// Arguments of a run that can have such a fault; it has none yet and ends at step 8.
Words before_rank_fault();
// Goes on, from the arguments that start it with so many ranks ("-n", "2") to the fault.
Program::Start start_to_fault(const RankFault& fault, const Trial& trial, const Words& more,
                              const Environment& environment = {});
// Whether the table of what hangs says that this rank is stopped.
bool is_told_stopped(const std::string& said, int rank);
// Nothing is left of the run but its complete checkpoints, and it can go on.
void check_only_whole_checkpoints(const Trial& trial);

}  // namespace mortise::tests
