#pragma once

#include <chrono>
#include <memory>
#include <mortise/parallel/communicator.hpp>
#include <string>
#include <vector>

#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

// A group of ranks. `ranks` are the members' places in the run, ascending; `own` is one of
// them; `name` is unique for each group and equal on all members. A group of one sends nothing.
struct GroupRequest {
  std::string name;
  std::vector<std::int64_t> ranks;
  std::int64_t own = 0;
  bool on_one_host = true;
  std::chrono::milliseconds timeout{300000};
};
// On Gloo.
std::unique_ptr<Communicator> make_communicator(const std::shared_ptr<Rendezvous>& rendezvous,
                                                const GroupRequest& request);

}  // namespace mortise::host
