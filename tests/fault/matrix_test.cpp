// Every rank, killed or stopped, at every moment, under run -n and under a launcher: the others end
// within the time-out and five seconds, one of them names the rank, and nothing is left. One
// of each kind in every run of the tests: lost_rank_test.

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "tests/fault/launched.hpp"
#include "tests/fault/rank_fault.hpp"

namespace {

using namespace mortise::tests;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeout(4), kMore(5);

std::set<std::string> shared_memory() {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator("/dev/shm"))
    if (contains(file.path().filename().string(), "mortise")) names.insert(file.path().string());
  return names;
}

// When the rank is lost is known from outside: it has ended, or stands still.
char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos ? 'X' : text[name_end + 2];
}

void wait_until_lost(pid_t process) {
  const auto limit = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < limit && state_of(process) != 'T' && state_of(process) != 'Z' &&
         state_of(process) != 'X')
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

std::string name_of_lost(const RankFault& fault) { return "rank " + std::to_string(fault.lost); }

void check_local(const Trial& trial, int ranks, const RankFault& fault) {
  Program program(
      start_to_fault(fault, trial, Words{"-n", std::to_string(ranks)} + sets({"run.timeout=4s"})));
  std::vector<pid_t> children;
  const auto limit = Clock::now() + std::chrono::seconds(30);
  while (int(children.size()) < ranks && Clock::now() < limit) children = program.children();
  REQUIRE(int(children.size()) == ranks);
  wait_until_lost(children[std::size_t(fault.lost)]);
  const auto lost = Clock::now();
  const Outcome outcome = program.wait();
  CHECK(Clock::now() - lost < kTimeout + kMore);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 6);
  const bool killed = fault.how == std::string("kill");
  CHECK((killed ? contains(outcome.err, name_of_lost(fault) + " was ended by signal 9")
                : contains(outcome.err, name_of_lost(fault) + " has not come") ||
                      is_told_stopped(outcome.err, fault.lost)));
  CHECK(program.left_behind().empty());
  CHECK(half_checkpoints(trial).empty());
}

// A launcher would end the rank that is stopped, when the others have.
void check_launched(const Trial& trial, int ranks, const RankFault& fault) {
  const int port = free_port();
  std::deque<Program> all;
  for (int rank = 0; rank != ranks; ++rank)
    all.emplace_back(start_to_fault(fault, trial, sets({"run.timeout=4s"}),
                                    torchrun_variables(rank, ranks, port)));
  wait_until_lost(all[std::size_t(fault.lost)].id());
  const auto lost = Clock::now();
  std::string said;
  for (int rank = 0; rank != ranks; ++rank) {
    if (rank == fault.lost) continue;
    const Outcome outcome = all[std::size_t(rank)].wait();
    CHECK(outcome.exit == 6);
    said += outcome.err;
  }
  CHECK(Clock::now() - lost < kTimeout + kMore);
  CAPTURE(said);
  all[std::size_t(fault.lost)].send(SIGKILL);
  CHECK(all[std::size_t(fault.lost)].wait().exit == -1);
  const std::string row = "\n     " + std::to_string(fault.lost) + "               does not answer";
  CHECK((contains(said, name_of_lost(fault) + " is lost") || contains(said, row) ||
         contains(said, name_of_lost(fault) + ", which has the store, does not answer") ||
         contains(said, name_of_lost(fault) + " has not come") ||
         contains(said, "is " + name_of_lost(fault) + " up")));
  CHECK(contains(said, "error[R0"));
  const TakenPort again(port);  // nobody listens there any more
  CHECK(saved_steps(trial) == std::vector<int>{4, 8});
  // A first rank that is lost while it saves leaves an unfinished one, which the next start
  // removes.
  for (const std::string& half : half_checkpoints(trial))
    std::filesystem::remove_all(trial.path("runs/tiny/checkpoints/" + half));
}

}  // namespace

TEST_CASE("fault matrix: every rank, at every moment, killed and stopped") {
  const Trial trial;
  check_done(trial.run(2, before_rank_fault()));
  const std::set<std::string> before = shared_memory();
  for (const int ranks : {2, 3})
    for (int lost = 0; lost != ranks; ++lost)
      for (const Moment& moment : kMoments)
        for (const char* how : {"kill", "stop"})
          for (const bool launched : {false, true}) {
            CAPTURE(ranks);
            CAPTURE(lost);
            CAPTURE(moment.name);
            CAPTURE(how);
            CAPTURE(launched);
            (launched ? check_launched : check_local)(trial, ranks, {moment, how, lost});
            CHECK(shared_memory() == before);
          }
  check_only_whole_checkpoints(trial);
}
