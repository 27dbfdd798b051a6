// Stopped by a signal, and by the loss of a rank.

#include <doctest/doctest.h>

#include <csignal>
#include <deque>
#include <thread>

#include "tests/end_to_end/port.hpp"
#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;
using Clock = std::chrono::steady_clock;

const std::string kGoOn = "to go on:";

// So long that only a signal ends it.
Program::Start endless(const Trial& trial, int ranks) {
  return trial.start(Words{"run", "run.yaml", "-n", std::to_string(ranks)} +
                     sets({"run.steps=1M", "checkpoint.every=5"}));
}

}  // namespace

TEST_CASE("signals: one saves and says how to go on, with the number of ranks that there were") {
  struct Row {
    int ranks, signal;
  };
  for (const Row& row : {Row{1, SIGTERM}, Row{2, SIGINT}}) {
    CAPTURE(row.ranks);
    const Trial trial;
    Program program(endless(trial, row.ranks));
    REQUIRE(program.wait_until_it_says("saved step 5"));
    program.send(row.signal);
    const Outcome stopped = program.wait();
    CAPTURE(stopped.err);
    CHECK(stopped.exit == 75);
    CHECK(program.left_behind().empty());
    CHECK_FALSE(contains(stopped.err, "error["));
    const std::string step = rest_of_line(stopped.out, "stopped at step ");
    CHECK(trial.metrics().back()["step"] == std::stoi(step));

    const std::string command = rest_of_line(stopped.out, kGoOn);
    const Outcome more = trial.typed(
        command + " --accept run.steps --set run.steps=" + std::to_string(std::stoi(step) + 2));
    check_done(more);
    CHECK(contains(more.said(), "goes on at step " + std::to_string(std::stoi(step))));
  }
}

TEST_CASE("signals: a second one stops at once") {
  const Trial trial;
  Program::Start start = endless(trial, 2);
  start.command = start.command + sets({"batch.sequences=32768"});  // a step of many seconds
  Program program(start);
  REQUIRE(program.wait_until_it_says("eval held_out  step 0"));
  program.send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(program.children().size() == 2);  // the first one waits for the end of the step
  const auto again = Clock::now();
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  CAPTURE(stopped.err);
  CHECK(Clock::now() - again < std::chrono::seconds(5));
  CHECK(stopped.exit == 128 + SIGINT);
  CHECK(program.left_behind().empty());
}

TEST_CASE("signals: a killed rank ends the others, is named, and the last checkpoint loads") {
  for (const int lost : {0, 2}) {
    CAPTURE(lost);
    const Trial trial;
    Program program(endless(trial, 3));
    REQUIRE(program.wait_until_it_says("saved step 5"));
    const std::vector<pid_t> ranks = program.children();
    REQUIRE(ranks.size() == 3);
    const auto killed = Clock::now();
    kill(ranks[std::size_t(lost)], SIGKILL);
    const Outcome outcome = program.wait();
    CHECK(Clock::now() - killed < std::chrono::seconds(10));
    check_refused(outcome, 6, {"rank " + std::to_string(lost) + " ", "Killed", "checkpoint"});
    CHECK(program.left_behind().empty());

    const Outcome more =
        trial.run(1, Words{"--resume", "latest"} + sets({"run.steps=1M", "run.stop_after=1s"}));
    CAPTURE(more.err);
    CHECK(more.exit == 75);
    CHECK(contains(more.said(), "goes on at step "));
  }
}

TEST_CASE("signals: ranks do not outlive the program that started them") {
  const Trial trial;
  Program program(endless(trial, 2));
  REQUIRE(program.wait_until_it_says("saved step 5"));
  program.send(SIGKILL);
  CHECK(program.wait().signal == SIGKILL);
  for (int n = 0; n != 100 && !program.left_behind().empty(); ++n)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(program.left_behind().empty());
}

TEST_CASE("signals: under a launcher the others tell that rank 0, which held the store, is lost") {
  const Trial trial;
  const std::string port = std::to_string(free_port());
  std::deque<Program> ranks;
  for (int rank = 0; rank != 2; ++rank) {
    Program::Start start = endless(trial, 1);
    start.environment.insert({{"RANK", std::to_string(rank)},
                              {"WORLD_SIZE", "2"},
                              {"MASTER_ADDR", "127.0.0.1"},
                              {"MASTER_PORT", port}});
    ranks.emplace_back(start);
  }
  REQUIRE(ranks[0].wait_until_it_says("saved step 5"));
  ranks[0].send(SIGKILL);
  CHECK(ranks[0].wait().signal == SIGKILL);
  const auto killed = Clock::now();
  check_refused(ranks[1].wait(), 6, {"rank 1", "lost"});
  CHECK(Clock::now() - killed < std::chrono::seconds(10));
}

TEST_CASE("signals: one that reaches a single rank stops them all at the same step (R-12)") {
  const Trial trial;
  Program program(endless(trial, 2));
  REQUIRE(program.wait_until_it_says("saved step 5"));
  kill(program.children().at(1), SIGTERM);
  const Outcome stopped = program.wait();
  CAPTURE(stopped.err);
  CHECK(stopped.exit == 75);
  CHECK(contains(stopped.out, kGoOn));
  CHECK(program.left_behind().empty());
}

TEST_CASE("signals: while the ranks start, one ends them without an error and leaves no run") {
  const Trial trial;
  Program program(endless(trial, 2));
  while (program.children().size() != 2) std::this_thread::yield();
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  CAPTURE(stopped.err);
  CHECK((stopped.exit == 128 + SIGINT || stopped.exit == 75));
  CHECK_FALSE(contains(stopped.err, "error["));
  CHECK(trial.has("runs") == (stopped.exit == 75));
  CHECK(program.left_behind().empty());
}

TEST_CASE("signals: a run goes on when nobody reads what it prints any more") {
  for (const char* ranks : {"1", "2"}) {
    CAPTURE(ranks);
    const Trial trial;
    const Outcome outcome =
        trial.typed(std::string("mortise run run.yaml -n ") + ranks + " | head -n 1");
    CHECK(count(outcome.out, "\n") == 1);
    CHECK(trial.metrics().back()["step"] == 10);
    CHECK(trial.has("runs/tiny/checkpoints/step_00000010/index.json"));
    CHECK(count(outcome.err, "warning") + count(outcome.err, "dropped") > 0);
  }
}
