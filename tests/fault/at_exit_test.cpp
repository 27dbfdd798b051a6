// Plugins that leave something behind, and data that does not go round.

#include <doctest/doctest.h>

#include <csignal>

#include "tests/fault/faulty_run.hpp"

namespace {

using namespace mortise::tests;

Words lingering() {
  return Words{"--plugin", fixture_plugin("lingering").string()} + sets({"schedule=lingering"});
}

}  // namespace

TEST_CASE("at exit: threads and static objects of a plugin do not change the exit code (X-05)") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    check_done(trial.run(ranks, lingering() + sets({"run.steps=2"})));

    trial.write("blocked", "a file in the way");
    check_refused(trial.run(ranks, lingering() + sets({"run.folder=blocked/run"})), 7, {"blocked"});

    Program program(trial.start(Words{"run", "run.yaml", "-n", std::to_string(ranks)} +
                                lingering() + sets({"run.steps=1M", "run.name=stopped"})));
    REQUIRE(program.wait_until_it_says("saved step 4"));
    program.send(SIGTERM);
    const Outcome stopped = program.wait();
    CAPTURE(stopped.err);
    CHECK(stopped.exit == 75);
    CHECK(stopped.err == "");
    CHECK(program.left_behind().empty());
  }
}

TEST_CASE("at exit: ranks with more steps than data begin it anew and end at one step (R-09)") {
  struct Row {
    int samples, ranks;
  };
  for (const Row& row : {Row{5, 2}, Row{7, 4}}) {
    CAPTURE(row.samples);
    const Trial trial;
    const std::string set = "{use: ragged, samples: " + std::to_string(row.samples) + "}";
    const Words data = Words{"--plugin", fixture_plugin("ragged").string()} +
                       sets({"data.train=" + set, "eval.hold_out=null", "eval.sets.same=" + set,
                             "tokenizer=null", "model.vocabulary_size=97", "run.steps=6"});
    check_done(trial.run(row.ranks, data));
    check_done(trial.run(1, data + sets({"run.name=alone"})));
    CHECK(trial.series("train/loss").size() == 6);
    CHECK(trial.numbers() == trial.numbers("runs/alone"));
  }
}
