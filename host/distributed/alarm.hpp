#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/distributed/hang_report.hpp"
#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

// How the ranks of a launcher, which share no memory, learn what the others are doing when a
// collective has failed: the first one raises the alarm in the store, each rank's watch answers it
// there, also for a rank that is stuck.

// Looks into the store twice a second for as long as it lives. Answers an alarm, and ends the
// process, without a word and with exit code 6, where another rank has told a failure and this one
// has not noticed within seconds.
class Watch {
 public:
  Watch(std::shared_ptr<Rendezvous> rendezvous, const RankEnvironment& ranks);
  ~Watch();
  Watch(const Watch&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Whether a watch of this process has seen that another rank has told what failed. Who told stays
// for longer than it takes to look, so a rank that is failed by its end knows.
bool another_has_told();

// Raises the alarm and collects what the ranks answer within seconds; those that do not are there
// as such. Nothing: another rank has raised it and tells.
std::optional<std::vector<RankReport>> raise_alarm(Rendezvous& rendezvous,
                                                   const RankEnvironment& ranks);

}  // namespace mortise::host
