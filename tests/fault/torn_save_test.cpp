// Killed while it saves: every start finds the last complete checkpoint.

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/fault/faulty_run.hpp"

namespace {

using namespace mortise::tests;

const std::string kLeftBehind = "left behind by a save that was cut short";

Program::Start resumed(const Trial& trial, int ranks, const Words& more) {
  return trial.start(Words{"run", "run.yaml", "-n", std::to_string(ranks), "--resume", "latest"} +
                     sets({"checkpoint.every=1", "checkpoint.keep=2", "eval=null"}) + more);
}

Program::Start killed_at(Program::Start start, int rank, int call) {
  start.environment["MORTISE_TEST_KILL_IN_SAVE"] =
      std::to_string(rank) + ":" + std::to_string(call);
  start.environment["LD_PRELOAD"] = std::string(MORTISE_BUILD_DIR) + "/tests/kill_in_save.so";
  return start;
}

std::vector<int> steps_in(const std::string& text, const std::string& before) {
  std::vector<int> steps;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
    steps.push_back(std::stoi(text.substr(at + before.size())));
  return steps;
}

}  // namespace

TEST_CASE("torn save: killed at each call of a save, the checkpoint before it stays") {
  struct Row {
    int ranks, rank, least;  // calls of the rank in one save
  };
  for (const Row& row : {Row{1, 0, 10}, Row{2, 1, 4}}) {
    CAPTURE(row.ranks);
    const Trial trial;
    check_done(trial.run(row.ranks, sets({"run.steps=4", "eval=null"})));
    int call = 1;
    for (bool left = false;; ++call) {
      CAPTURE(call);
      Program program(killed_at(resumed(trial, row.ranks, sets({"run.steps=5"})), row.rank, call));
      const Outcome outcome = program.wait();
      CAPTURE(outcome.err);
      REQUIRE(contains(outcome.said(), "goes on at step 4"));
      CHECK(contains(outcome.said(), kLeftBehind) == left);
      if (outcome.exit == 0) break;
      CHECK(outcome.signal == (row.ranks == 1 ? SIGKILL : 0));
      REQUIRE(saved_steps(trial) == std::vector<int>{4});
      left = !half_checkpoints(trial).empty();
      CHECK((row.ranks == 1 || !left));  // the starter of a lost rank clears up
    }
    CHECK(call > row.least);
    CHECK(saved_steps(trial) == std::vector<int>{4, 5});
    CHECK(half_checkpoints(trial).empty());
  }
}

TEST_CASE(
    "torn save: killed at random moments of 50 saves, every start finds the last complete one") {
  const char* given = std::getenv("MORTISE_TEST_SEED");
  const unsigned seed = given != nullptr ? unsigned(std::atoi(given)) : std::random_device{}();
  MESSAGE("MORTISE_TEST_SEED=" << seed);
  std::mt19937 random(seed);
  const Trial trial;
  check_done(trial.run(1, sets({"run.steps=1", "eval=null"})));
  int last = 1, torn = 0;
  for (int round = 0; round != 50; ++round) {
    CAPTURE(round);
    const int ranks = round % 5 == 4 ? 2 : 1;  // on two ranks one of them is killed
    Program program(resumed(trial, ranks, sets({"run.steps=1M"})));
    REQUIRE(program.wait_until_it_says("saved step"));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    kill(ranks == 1 ? program.id() : program.children().at(random() % 2), SIGKILL);
    const Outcome outcome = program.wait();
    CAPTURE(outcome.said());
    REQUIRE(steps_in(outcome.said(), "goes on at step ") == std::vector<int>{last});
    CHECK(contains(outcome.said(), kLeftBehind) == (torn != 0));
    const std::vector<int> said = steps_in(outcome.out, "saved step "), saved = saved_steps(trial);
    last = saved.back();
    torn = int(half_checkpoints(trial).size());
    // What was told is there; the one after it may be.
    CHECK((last == said.back() || last == said.back() + 1));
    CHECK(saved.size() <= 3);
  }
  check_done(trial.run(1, Words{"--accept", "run.steps"} +
                              sets({"eval=null", "run.steps=" + std::to_string(last)})));
}
