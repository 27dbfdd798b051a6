#include "tests/fault/rank_fault.hpp"

#include <doctest/doctest.h>

#include <regex>

namespace mortise::tests {
namespace {

// A fault that never comes.
Words without_fault() { return with_fault({"layer_ops", "forward", "kill", 1000, 0}); }

}  // namespace

Words before_rank_fault() { return without_fault() + sets({"run.steps=8"}); }

Program::Start start_to_fault(const RankFault& fault, const Trial& trial, const Words& more,
                              const Environment& environment) {
  const std::string name = fault.moment.name, how = fault.how, rank = std::to_string(fault.lost);
  Words arguments = Words{"run", "run.yaml", "--resume", "8"} + sets({"run.steps=20"}) + more;
  if (name == "forward")
    arguments = arguments + with_fault({"layer_ops", "forward", fault.how, 9, fault.lost});
  else if (name == "evaluation")
    arguments = arguments + with_fault({"layer_ops", "evaluation", fault.how, 10, fault.lost});
  else
    arguments = arguments + without_fault();
  Program::Start start = trial.start(arguments, environment);
  if (name == "load") start.environment["MORTISE_TEST_LOST_AT_LOAD"] = rank + ":" + how;
  if (name == "save") {
    start.environment["MORTISE_TEST_KILL_IN_SAVE"] = rank + ":3" + (how == "stop" ? ":stop" : "");
    start.environment["LD_PRELOAD"] = std::string(MORTISE_BUILD_DIR) + "/tests/kill_in_save.so";
  }
  return start;
}

bool is_told_stopped(const std::string& said, int rank) {
  const std::regex row("\n *(\\[rank \\d\\])? +" + std::to_string(rank) +
                       " +\\d+ +\\d*  is stopped \\(SIGSTOP\\)");
  return std::regex_search(said, row);
}

void check_only_whole_checkpoints(const Trial& trial) {
  CHECK(saved_steps(trial) == std::vector<int>{4, 8});
  CHECK(half_checkpoints(trial).empty());
  const Outcome more =
      trial.run(1, without_fault() + Words{"--accept", "run.steps"} + sets({"run.steps=9"}));
  check_done(more);
  CHECK(contains(more.said(), "goes on at step 8"));
}

}  // namespace mortise::tests
