#include "host/distributed/call_order.hpp"

#include <mortise/error.hpp>

#include "host/distributed/whereabouts.hpp"

namespace mortise::host {
namespace {

[[noreturn]] void differ(const OwnCall& own, std::int64_t rank, const std::string& theirs) {
  throw Error(ErrorCode::lost_rank,
              "the ranks make different calls: call " + std::to_string(own.number) + " of " +
                  own.trace.label() + " is " + text_of(own.call) + " on rank " +
                  std::to_string(own.rank) + " and " + theirs + " on rank " + std::to_string(rank) +
                  ": every rank of a group must make the same calls in the same order "
                  "(run.check: collectives)");
}

class SharedCallOrder final : public CallOrder {
 public:
  void require_same(const OwnCall& own) override {
    for (const std::int64_t rank : own.ranks) {
      if (rank == own.rank) continue;
      const Whereabouts& peer = shared_whereabouts()[std::size_t(rank)];
      const CallTrace* trace = peer.trace_of(own.trace.id());
      const std::optional<Call> theirs = trace ? trace->at(own.number) : std::nullopt;
      if (theirs && *theirs != own.call) differ(own, rank, text_of(*theirs));
    }
  }
};

// The first rank that makes a call leaves it in the store, the others find it there.
class StoreCallOrder final : public CallOrder {
 public:
  explicit StoreCallOrder(std::shared_ptr<Rendezvous> rendezvous)
      : rendezvous_(std::move(rendezvous)) {}

  void require_same(const OwnCall& own) override {
    const std::string mine = text_of(own.call);
    const std::string there =
        rendezvous_->offer(key(own, own.number), std::to_string(own.rank) + " " + mine);
    const std::size_t space = there.find(' ');
    if (there.substr(space + 1) != mine) differ(own, std::stoll(there), there.substr(space + 1));
    if (own.rank == own.ranks.front() && own.number >= CallTrace::kKept)
      rendezvous_->remove(key(own, own.number - CallTrace::kKept));
  }

 private:
  static std::string key(const OwnCall& own, std::uint64_t number) {
    return "calls/" + std::to_string(own.trace.id()) + "/" + std::to_string(number);
  }

  std::shared_ptr<Rendezvous> rendezvous_;
};

}  // namespace

std::unique_ptr<CallOrder> make_call_order(std::shared_ptr<Rendezvous> rendezvous) {
  if (!shared_whereabouts().empty()) return std::make_unique<SharedCallOrder>();
  return std::make_unique<StoreCallOrder>(std::move(rendezvous));
}

}  // namespace mortise::host
