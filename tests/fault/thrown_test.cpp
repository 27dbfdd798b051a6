// A rank whose plugin throws: told once, with plugin, component, call, rank and step; the others
// end in time.

#include <doctest/doctest.h>

#include "tests/fault/faulty_run.hpp"

namespace {

using namespace mortise::tests;

const std::string kWho = "faulty of org.mortise.test.faulty: ";

Outcome run_with(const Trial& trial, int ranks, const Fault& fault, const std::string& name) {
  Program program(trial.start(Words{"run", "run.yaml", "-n", std::to_string(ranks)} +
                              with_fault(fault) + sets({"run.name=" + name})));
  const Outcome outcome = program.wait();
  CHECK(program.left_behind().empty());
  CHECK(outcome.took < std::chrono::seconds(20));
  CHECK(half_checkpoints(trial, "runs/" + name).empty());
  return outcome;
}

}  // namespace

TEST_CASE("thrown: from whatever call and of whatever type, on one rank of several (X-04)") {
  struct Row {
    Fault fault;
    const char *call, *place;
  };
  const Trial trial;
  int number = 0;
  for (const Row& row : {
           Row{{"observers", "create", "own", 0, 1}, "could not be made", ""},
           Row{{"layer_ops", "forward", "standard", 2, 1}, "apply: ", "after 2 steps"},
           Row{{"layer_ops", "forward", "torch", 2, 0}, "apply: ", "after 2 steps"},
           Row{{"layer_ops", "evaluation", "integer", 5, 1},
               "apply: ",
               "in the evaluation after 5 steps"},
           Row{{"observers", "after_step", "own", 3, 0}, "after_step: ", "after 2 steps"},
           Row{{"observers", "save", "torch", 4, 1}, "on_checkpoint: ", "saving step 4"},
           Row{{"observers", "state", "standard", 4, 0}, "state: ", "saving step 4"},
       }) {
    const std::string how = row.fault.how, name = "run" + std::to_string(++number);
    CAPTURE(row.fault.call);
    CAPTURE(how);
    const std::string text = how == "standard"  ? "the ninth of eight (threw std::out_of_range)"
                             : how == "torch"   ? "the ninth of eight tensors (threw c10::Error)"
                             : how == "integer" ? "(threw int)"
                                                : "Hidden";
    const std::string who = row.fault.call == "create" ? kWho.substr(0, kWho.size() - 2) : kWho;
    check_refused(
        run_with(trial, 2, row.fault, name), 3,
        {"rank " + std::to_string(row.fault.rank) + ": ", who, row.call, row.place, text});
    const bool saved = row.fault.at >= 5;  // of a run with a checkpoint every four steps
    CHECK(saved_steps(trial, "runs/" + name) == (saved ? std::vector<int>{4} : std::vector<int>{}));
  }
}

TEST_CASE("thrown: by all ranks alike it is told once") {
  const Trial trial;
  check_refused(run_with(trial, 3, {"layer_ops", "forward", "standard", 2}, "all"), 3,
                {kWho + "apply: ", "after 2 steps", "the ninth of eight"});
}

TEST_CASE("thrown: a sink is dropped and told once, one that is required ends all ranks") {
  const Trial trial;
  const Fault fault{"log.sinks", "write", "own", 3};
  const Outcome dropped = run_with(trial, 2, fault, "dropped");
  CAPTURE(dropped.err);
  CHECK(dropped.exit == 0);
  CHECK(count(dropped.err, "metric sink faulty failed and is dropped: " + kWho + "write: ") == 1);
  CHECK(trial.metrics("runs/dropped").back()["step"] == 10);
  const Outcome required =
      trial.run(2, with_fault(fault) + sets({"run.name=required",
                                             "log.sinks=[{use: faulty, call: write, "
                                             "how: own, at: 3, required: true}]"}));
  check_refused(required, 3, {"metric sink faulty: ", kWho + "write: ", "Hidden"});
}

TEST_CASE("thrown: out of a destructor on one rank, the process ends and names the call (X-04)") {
  const Trial trial;
  const Outcome outcome = run_with(trial, 2, {"observers", "destroy", "integer", 0, 1}, "end");
  check_refused(outcome, 3, {kWho + "destroy: threw int", "rank 1", "plugin: ", "XXH3 "});
  CHECK(saved_steps(trial, "runs/end").back() == 10);
}
