#include "host/distributed/alarm.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kAlarm = "alarm";
constexpr std::uint64_t kCallsTold = 32;  // of a group

std::string key_of(std::int64_t rank) { return "where/" + std::to_string(rank); }

std::atomic<bool> seen_told{false};

void answer(Rendezvous& rendezvous, std::int64_t rank) {
  rendezvous.offer(key_of(rank), as_text(report_of(whereabouts(), rank, kCallsTold)));
}

}  // namespace

struct Watch::State {
  std::shared_ptr<Rendezvous> rendezvous;
  RankEnvironment ranks;
  std::atomic<bool> over{false};

  void run() {
    bool answered = false;
    std::optional<Clock::time_point> told;
    while (!over) {
      std::this_thread::sleep_for(milliseconds(500));
      if (over) return;
      if (!answered && rendezvous->look(kAlarm)) {
        answer(*rendezvous, ranks.rank);
        answered = true;
      }
      if (!told && rendezvous->look(kFailureKey)) {
        told = Clock::now();
        seen_told = true;
      }
      if (told && Clock::now() - *told > seconds(3) && !over) _exit(int(Exit::ranks));
    }
  }
};

Watch::Watch(std::shared_ptr<Rendezvous> rendezvous, const RankEnvironment& ranks)
    : state_(std::make_shared<State>()) {
  state_->rendezvous = std::move(rendezvous);
  state_->ranks = ranks;
  // Not joined: it may wait for a store whose process is stopped.
  std::thread([state = state_] {
    try {
      state->run();
    } catch (const std::exception&) {  // the store has gone; the run ends, or a collective fails
    }
  }).detach();
}

bool another_has_told() { return seen_told; }

Watch::~Watch() { state_->over = true; }

std::optional<std::vector<RankReport>> raise_alarm(Rendezvous& rendezvous,
                                                   const RankEnvironment& ranks) {
  const std::string mine = std::to_string(ranks.rank);
  answer(rendezvous, ranks.rank);
  if (rendezvous.offer(kAlarm, mine) != mine) return std::nullopt;
  std::vector<RankReport> reports(std::size_t(ranks.size));
  std::int64_t missing = ranks.size;
  for (std::int64_t r = 0; r != ranks.size; ++r) {
    reports[std::size_t(r)].rank = r;
    reports[std::size_t(r)].answers = false;
  }
  for (const auto deadline = Clock::now() + milliseconds(2500);
       missing != 0 && Clock::now() < deadline; std::this_thread::sleep_for(milliseconds(50)))
    for (RankReport& report : reports) {
      if (report.answers) continue;
      const std::optional<std::string> text = rendezvous.look(key_of(report.rank));
      if (!text) continue;
      report = report_from(*text);
      --missing;
    }
  return reports;
}

}  // namespace mortise::host
