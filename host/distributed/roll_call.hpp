#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

// Tells which ranks of a run have ended, without their help. Each rank listens on a port that
// nobody connects to before something has failed: the port of a process that has ended refuses, one
// of a process that is busy or stopped does not.
class RollCall {
 public:
  // Listens, on the interface that leads to the rendezvous, and publishes where. A rank that cannot
  // is never found lost.
  RollCall(std::shared_ptr<Rendezvous> rendezvous, const RankEnvironment& ranks);
  ~RollCall();
  RollCall(const RollCall&) = delete;

  // Those that have ended, ascending, as far as it is known within seconds.
  std::vector<std::int64_t> lost() const;

 private:
  std::shared_ptr<Rendezvous> rendezvous_;
  RankEnvironment ranks_;
  int socket_ = -1;
};

}  // namespace mortise::host
