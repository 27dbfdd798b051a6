#pragma once

// What every Connector owes its caller: groups of ranks that are threads of this process, each with
// a component of its own.

#include <chrono>
#include <condition_variable>
#include <map>
#include <mortise/parallel/connector.hpp>
#include <mutex>

#include "../at_once.hpp"
#include "communicator_contract.hpp"

namespace mortise::conformance {
namespace connector {

// What the members of one group have set.
class Meeting {
 public:
  void set(std::string_view key, std::string_view value) {
    const std::lock_guard lock(mutex_);
    values_[std::string(key)] = value;
    news_.notify_all();
  }
  std::string get(std::string_view key) {
    std::unique_lock lock(mutex_);
    const auto found = [&] { return values_.count(std::string(key)) != 0; };
    if (!news_.wait_for(lock, std::chrono::seconds(20), found))
      throw Error(ErrorCode::lost_rank, std::string(key) + " was not set");
    return values_.at(std::string(key));
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::map<std::string, std::string> values_;
};

class MeetingStore final : public GroupStore {
 public:
  explicit MeetingStore(Meeting& meeting) : meeting_(meeting) {}
  void set(std::string_view key, std::string_view value) override { meeting_.set(key, value); }
  std::string get(std::string_view key, std::int64_t) override { return meeting_.get(key); }

 private:
  Meeting& meeting_;
};

enum class Outcome { connected, refused };

// One member: connects, and runs the suite of a communicator.
inline Outcome check_member(Connector& c, const RankGroup& group, Meeting& meeting,
                            Report& report) {
  MeetingStore store(meeting);
  std::unique_ptr<Communicator> made;
  try {
    made = c.connect(group, store);
  } catch (const Error& e) {
    report.expect(e.code() == ErrorCode::not_supported && !std::string_view(e.what()).empty(),
                  "connect: refuses with not_supported and a reason: " + std::string(e.what()));
    return Outcome::refused;
  }
  report.expect(made->rank() == group.rank && made->size() == std::int64_t(group.ranks.size()),
                "connect: gives each member its place");
  check_communicator_contract(*made, report);
  made->barrier();
  return Outcome::connected;
}

inline void check_group(std::span<Connector* const> members, const std::string& name,
                        Report& report) {
  Meeting meeting;
  std::vector<Report> found(members.size());
  std::vector<Outcome> outcomes(members.size());
  run_at_once(int(members.size()), [&](int rank) {
    RankGroup group;
    group.name = name;
    for (std::size_t r = 0; r != members.size(); ++r) group.ranks.push_back(std::int64_t(3 + r));
    group.rank = rank;
    group.timeout = 20;
    const auto r = std::size_t(rank);
    outcomes[r] = check_member(*members[r], group, meeting, found[r]);
  });
  for (const Report& one : found) report.expect(one.failures().empty(), one.text());
  for (const Outcome o : outcomes)
    report.expect(o == outcomes[0], "connect: every member is connected, or none");
}

}  // namespace connector

// `members`: two or more, one for each rank.
inline void check_connector_contract(std::span<Connector* const> members, Report& report) {
  report.section("two ranks", [&] { connector::check_group(members.first(2), "first/", report); });
  report.section("all ranks", [&] { connector::check_group(members, "second/", report); });
}

}  // namespace mortise::conformance
