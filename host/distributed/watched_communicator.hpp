#pragma once

#include <memory>
#include <mortise/parallel/communicator.hpp>
#include <string>
#include <vector>

#include "host/distributed/call_order.hpp"

namespace mortise::host {

// A group of ranks, as all of them know it.
struct GroupName {
  std::string label;                // "dp,tp #4"
  std::int64_t number = 0;          // groups are made by all ranks in one order
  std::vector<std::int64_t> ranks;  // of the run, ascending
  std::int64_t own = 0;             // one of them
};

// Stands around a communicator, whoever has made it: publishes what this rank waits in
// (whereabouts()), keeps the last calls, counts the time in collectives and, where `order` is not
// null, compares each call with those of the other ranks. A group of one is returned as it is.
std::unique_ptr<Communicator> watched(std::unique_ptr<Communicator> inner, GroupName group,
                                      std::shared_ptr<CallOrder> order);

}  // namespace mortise::host
