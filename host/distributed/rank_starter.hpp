#pragma once

#include <string>
#include <vector>

namespace mortise::host {

// Starts `ranks` processes of this program with the same arguments and waits for them.
//
// The rendezvous store lives here, on a port that is bound before any rank starts. The first rank
// has the terminal; lines of the others come with their rank in front. SIGINT, SIGTERM and SIGUSR1
// are passed on. When one rank fails the others are ended within seconds, and the first failure's
// exit code is returned; a rank that was killed gives exit code 6 and is named with what the others
// waited in.
struct LocalOutcome {
  int exit = 0;
  bool asked_to_stop = false;  // by a signal
  std::string run_folder;      // "": the ranks did not come so far
  bool trains = false;         // the run had begun: it can go on where it stopped
  // Ranks were killed: the run folder may have an unfinished checkpoint.
  bool cut_short = false;
};
LocalOutcome run_local_ranks(int ranks, const std::vector<std::string>& arguments);

}  // namespace mortise::host
