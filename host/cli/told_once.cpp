#include "host/cli/told_once.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "host/distributed/agreement.hpp"
#include "host/distributed/alarm.hpp"
#include "host/distributed/in_time.hpp"

namespace mortise::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool is_told_elsewhere(const Failure& failure) { return *failure.what() == '\0'; }

bool is_failed_collective(const Failure& failure) { return failure.id() == "R0201"; }

// Time for whoever knows more to tell it first: about a lost rank its starter, about what all ranks
// meet the first one, which alone knows who has not come.
milliseconds courtesy(const RankEnvironment& ranks, const Failure& failure) {
  if (failure.id() == "R0103" && ranks.rank != 0) return milliseconds(1000);
  if (failure.exit() == Exit::ranks) return milliseconds(500);
  return milliseconds(ranks.rank == 0 ? 0 : 150);
}

// Whoever serves the store stays until the others have looked who told what.
void linger(const RankEnvironment& ranks) {
  if (ranks.rank == 0 && !ranks.store_is_elsewhere) std::this_thread::sleep_for(seconds(1));
}

// What every rank is doing; nothing where another one collects it.
std::optional<std::vector<RankReport>> reports_of_all(Rendezvous& rendezvous,
                                                      const RankEnvironment& ranks) {
  const std::span<const Whereabouts> shared = shared_whereabouts();
  if (shared.empty()) return raise_alarm(rendezvous, ranks);
  std::vector<RankReport> reports;
  for (const Whereabouts& where : shared)
    reports.push_back(report_of(where, std::int64_t(reports.size()), CallTrace::kKept));
  return reports;
}

std::string with_table(const std::vector<RankReport>& reports) {
  const std::string part = where_calls_part(reports);
  return (part.empty() ? "" : "\n  " + part) + hang_table(reports);
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

// What this rank would tell, and what has been told first: maybe that, just now. `first` is ""
// where the store has gone.
struct Told {
  std::string text, first;
};

Told tell_in_store(Rendezvous& rendezvous, const RankEnvironment& ranks, const RollCall* roll_call,
                   const Failure& failure) {
  Told told{failure.what(), ""};
  std::string table;
  if (is_failed_collective(failure)) {
    const auto reports = reports_of_all(rendezvous, ranks);
    for (int i = 0; !reports && i != 70; ++i) {  // whoever collects them tells soon
      if (const auto first = rendezvous.look(kFailureKey)) return {told.text, *first};
      std::this_thread::sleep_for(milliseconds(50));
    }
    if (reports) table = with_table(*reports);
  }
  std::this_thread::sleep_for(courtesy(ranks, failure));
  told.text += about_lost(roll_call, failure) + table;
  told.first = rendezvous.offer(kFailureKey, std::to_string(ranks.rank) + ":" + told.text);
  return told;
}

// Nothing where the store does not answer: its process may be stopped.
std::optional<Told> try_to_tell(const std::shared_ptr<Rendezvous>& rendezvous,
                                const RankEnvironment& ranks,
                                const std::shared_ptr<RollCall>& roll_call,
                                const Failure& failure) {
  try {
    return in_time(milliseconds(4200),
                   [=] { return tell_in_store(*rendezvous, ranks, roll_call.get(), failure); });
  } catch (const std::exception&) {
    return Told{};
  }
}

// Of a rank to which the store has not answered.
std::string alone(const RankEnvironment& ranks, const Failure& failure, bool is_gone) {
  const std::string text = failure.what();
  if (failure.exit() != Exit::ranks || ranks.store_is_elsewhere || ranks.rank == 0) return text;
  return text + (is_gone ? ": rank 0 is lost" : ": rank 0, which has the store, does not answer") +
         "; the last complete checkpoint stays" +
         hang_table({report_of(whereabouts(), ranks.rank, 0)});
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

void tell_once(const std::shared_ptr<Rendezvous>& rendezvous, const RankEnvironment& ranks,
               const std::shared_ptr<RollCall>& roll_call, const Failure& failure) {
  if (is_told_elsewhere(failure)) {
    linger(ranks);
    throw failure;
  }
  const std::optional<Told> told = try_to_tell(rendezvous, ranks, roll_call, failure);
  if (told && told->first.empty() && another_has_told() && failure.exit() == Exit::ranks)
    throw Failure(failure.id(), failure.exit(), "");  // that rank had the store, and has ended
  if (!told || told->first.empty())
    throw of_rank(ranks,
                  Failure(failure.id(), failure.exit(), alone(ranks, failure, told.has_value())));
  linger(ranks);
  const std::string mine = std::to_string(ranks.rank) + ":" + told->text;
  const bool same = told->first.substr(told->first.find(':') + 1) == told->text;
  if (told->first != mine && (same || failure.exit() == Exit::ranks))
    throw Failure(failure.id(), failure.exit(), "");
  throw of_rank(ranks, Failure(failure.id(), failure.exit(), told->text));
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
  tell_once(rendezvous, ranks, nullptr, failure);
}

}  // namespace mortise::host
