// Ranks that are killed or stopped at a known point: the others end in time, say who is lost and
// what each waited in, and nothing is left but complete checkpoints. Every rank at every
// point: matrix_test.

#include <doctest/doctest.h>

#include "tests/fault/rank_fault.hpp"

namespace {

using namespace mortise::tests;

void check_named(const Trial& trial, int ranks, const RankFault& fault) {
  CAPTURE(ranks);
  CAPTURE(fault.lost);
  CAPTURE(fault.how);
  CAPTURE(fault.moment.name);
  const bool killed = std::string(fault.how) == "kill";
  const std::string lost = "rank " + std::to_string(fault.lost);
  Program program(start_to_fault(
      fault, trial,
      Words{"-n", std::to_string(ranks)} + sets({killed ? "run.timeout=20s" : "run.timeout=3s"})));
  const Outcome outcome = program.wait();
  if (killed)
    check_refused(
        outcome, 6,
        {lost + " was ended by signal 9 (Killed) " + fault.moment.place, fault.moment.waited});
  else if (std::string(fault.moment.name) == "load")
    check_refused(outcome, 6, {"error[R0103]", lost + " has not come"});
  else
    check_refused(outcome, 6, {"error[R0201]", fault.moment.place, fault.moment.waited});
  CHECK_MESSAGE(is_told_stopped(outcome.err, fault.lost) ==
                    (!killed && fault.moment.name != std::string("load")),
                outcome.err);
  CHECK(outcome.took < std::chrono::seconds(20));
  CHECK(program.left_behind().empty());
  CHECK(saved_steps(trial) == std::vector<int>{4, 8});
  CHECK(half_checkpoints(trial).empty());
}

}  // namespace

TEST_CASE("lost rank: killed at any point, it is named with step and operation, nothing is left") {
  const Trial trial;
  check_done(trial.run(2, before_rank_fault()));
  for (int i = 0; i != 4; ++i) check_named(trial, 2, {kMoments[i], "kill", i % 2});
  for (int i = 0; i != 4; ++i) check_named(trial, 3, {kMoments[i], "kill", (i + 1) % 3});
  check_only_whole_checkpoints(trial);
}

TEST_CASE("lost rank: stopped at any point, the run ends after the time-out and says who it is") {
  const Trial trial;
  check_done(trial.run(2, before_rank_fault()));
  for (int i = 0; i != 4; ++i) check_named(trial, 2, {kMoments[i], "stop", (i + 1) % 2});
  check_only_whole_checkpoints(trial);
}
