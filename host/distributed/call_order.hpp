#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/distributed/call_trace.hpp"
#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

// A call as one rank makes it, and the ranks of the run that make it too.
struct OwnCall {
  const CallTrace& trace;
  std::uint64_t number = 0;
  Call call;
  std::int64_t rank = 0;
  const std::vector<std::int64_t>& ranks;
};

// Compares each call with those of the same number that other ranks have made (`run.check:
// collectives`). Whoever comes later finds the difference, before anything is sent.
class CallOrder {
 public:
  virtual ~CallOrder() = default;
  // Throws Error(lost_rank) that names both calls.
  virtual void require_same(const OwnCall& own) = 0;
};

// Over the memory that a starter shares with its ranks, else over the store: there each call costs
// a round trip.
std::unique_ptr<CallOrder> make_call_order(std::shared_ptr<Rendezvous> rendezvous);

}  // namespace mortise::host
