// Ranks that are killed at a known point: the others end in time, say who is lost and what waited,
// and nothing is left but complete checkpoints.

#include <doctest/doctest.h>

#include <deque>

#include "tests/end_to_end/port.hpp"
#include "tests/fault/faulty_run.hpp"

namespace {

using namespace mortise::tests;

struct Point {
  const char* where;
  const char* place;   // as the message says it
  const char* waited;  // what another rank waited in
};

constexpr Point kPoints[] = {
    {"load", "at the start", "waited in the rendezvous"},
    {"forward", "after 9 steps", "waited in "},
    {"evaluation", "in the evaluation after 10 steps", "waited in "},
    {"save", "saving step 12", "waited in all_gather"},
};

// A fault that never comes.
Words without_fault() { return with_fault({"layer_ops", "forward", "kill", 1000, 0}); }

// Goes on from step 8 until the point at which rank `lost` is killed.
Program::Start run_to(const Point& point, const Trial& trial, int ranks, int lost) {
  const std::string where = point.where;
  Words arguments = Words{"run", "run.yaml", "-n", std::to_string(ranks), "--resume", "8"} +
                    sets({"run.steps=20", "run.timeout=20s"});
  const auto fault = [&](const char* component, int at) {
    return with_fault({component, where, "kill", at, lost});
  };
  if (where == "forward") arguments = arguments + fault("layer_ops", 9);
  if (where == "evaluation") arguments = arguments + fault("layer_ops", 10);
  if (where == "load" || where == "save") arguments = arguments + without_fault();
  Program::Start start = trial.start(arguments);
  const std::string rank = std::to_string(lost);
  if (where == "load") start.environment["MORTISE_TEST_KILL_AT_LOAD"] = rank;
  if (where == "save") {
    start.environment["MORTISE_TEST_KILL_IN_SAVE"] = rank + ":3";
    start.environment["LD_PRELOAD"] = std::string(MORTISE_BUILD_DIR) + "/tests/kill_in_save.so";
  }
  return start;
}

}  // namespace

TEST_CASE("lost rank: killed at any point, it is named with step and operation, nothing is left") {
  const Trial trial;
  check_done(trial.run(2, without_fault() + sets({"run.steps=8"})));
  const auto check = [&](const Point& point, int ranks, int lost) {
    CAPTURE(ranks);
    CAPTURE(lost);
    CAPTURE(point.where);
    Program program(run_to(point, trial, ranks, lost));
    const Outcome outcome = program.wait();
    check_refused(
        outcome, 6,
        {"rank " + std::to_string(lost) + " was ended by signal 9 (Killed) " + point.place,
         point.waited});
    CHECK(outcome.took < std::chrono::seconds(20));
    CHECK(program.left_behind().empty());
    CHECK(saved_steps(trial) == std::vector<int>{4, 8});
    CHECK(half_checkpoints(trial).empty());
  };
  for (const int lost : {0, 1})
    for (const Point& point : kPoints) check(point, 2, lost);
  check(kPoints[0], 3, 1);
  check(kPoints[1], 3, 2);
  check(kPoints[2], 3, 1);
  check(kPoints[3], 3, 0);
  const Outcome more =
      trial.run(1, without_fault() + Words{"--accept", "run.steps"} + sets({"run.steps=9"}));
  check_done(more);
  CHECK(contains(more.said(), "goes on at step 8"));
}
