#include "host/cli/told_once.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "host/distributed/agreement.hpp"

namespace mortise::host {
namespace {

using std::chrono::milliseconds;

bool is_told_elsewhere(const Failure& failure) { return *failure.what() == '\0'; }

// Time for whoever knows more to tell it first: about a lost rank its starter, about what all ranks
// meet the first one.
milliseconds courtesy(const RankEnvironment& ranks, const Failure& failure) {
  if (failure.exit() == Exit::ranks) return milliseconds(500);
  return milliseconds(ranks.rank == 0 ? 0 : 150);
}

// Whoever serves the store stays until the others have looked who told what.
void linger(const RankEnvironment& ranks) {
  if (ranks.rank == 0 && !ranks.store_is_elsewhere)
    std::this_thread::sleep_for(std::chrono::seconds(1));
}

// What has been told first, maybe just now by this rank; nothing when the store is gone.
std::optional<std::string> first_told(Rendezvous& rendezvous, const std::string& mine) {
  try {
    return rendezvous.offer("failure", mine);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// ": rank 1 is lost, …" or ""
std::string about_lost(const RollCall* roll_call, const Failure& failure) {
  if (roll_call == nullptr || failure.exit() != Exit::ranks) return "";
  std::string names;
  const std::vector<std::int64_t> lost = roll_call->lost();
  for (const std::int64_t rank : lost) names += (names.empty() ? "" : ", ") + std::to_string(rank);
  if (lost.empty()) return "";
  return (lost.size() == 1 ? ": rank " + names + " is lost" : ": ranks " + names + " are lost") +
         "; the last complete checkpoint stays";
}

// What one rank has met alone says which it was.
Failure of_rank(const RankEnvironment& ranks, const Failure& failure) {
  const std::string text = failure.what();
  const bool may_be_alone = failure.exit() == Exit::plugin || failure.exit() == Exit::data ||
                            failure.exit() == Exit::storage;
  if (ranks.size == 1 || !may_be_alone || text.rfind("rank ", 0) == 0) return failure;
  return Failure(failure.id(), failure.exit(), "rank " + std::to_string(ranks.rank) + ": " + text);
}

}  // namespace

void tell_once(Rendezvous& rendezvous, const RankEnvironment& ranks, const RollCall* roll_call,
               const Failure& failure) {
  if (is_told_elsewhere(failure)) {
    linger(ranks);
    throw failure;
  }
  std::this_thread::sleep_for(courtesy(ranks, failure));
  const std::string text = failure.what() + about_lost(roll_call, failure);
  const std::string mine = std::to_string(ranks.rank) + ":" + text;
  const std::string first = first_told(rendezvous, mine).value_or(mine);
  linger(ranks);
  const bool same = first.substr(first.find(':') + 1) == text;
  if (first != mine && (same || failure.exit() == Exit::ranks))
    throw Failure(failure.id(), failure.exit(), "");
  throw of_rank(ranks, Failure(failure.id(), failure.exit(), text));
}

void tell_once_before_joining(const Failure& failure) {
  std::shared_ptr<Rendezvous> rendezvous;
  RankEnvironment ranks;
  try {
    ranks = rank_environment();
    if (ranks.size == 1) throw failure;
    rendezvous = join(ranks, std::chrono::seconds(10));
    require_agreement(*rendezvous, ranks, {{"failure", failure.what()}});
  } catch (const Failure&) {
    if (rendezvous == nullptr) throw failure;
  }
  tell_once(*rendezvous, ranks, nullptr, failure);
}

}  // namespace mortise::host
