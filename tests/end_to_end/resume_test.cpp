// Runs that go on.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

const Words kLatest{"--resume", "latest"};
const std::string kGoOn = "to go on from its last checkpoint:";

// An uninterrupted run on one rank, to compare with.
Words unbroken(const Trial& trial, int from_step) {
  check_done(trial.run(1, sets({"run.folder=unbroken"})));
  return trial.numbers("unbroken/tiny", from_step);
}

// What the metrics say about steps from `step` on since the run last stood before it.
Words after_resume(const Trial& trial, int step) {
  const Words all = trial.numbers("runs/tiny");
  std::size_t from = 0;
  for (std::size_t i = 0; i != all.size(); ++i)
    if (std::stoi(all[i]) < step) from = i + 1;
  return {all.begin() + std::ptrdiff_t(from), all.end()};
}

// As if a run had been killed at step 6, with checkpoints every four steps.
void train_to_step_six(const Trial& trial, int ranks) {
  check_done(trial.run(ranks, sets({"run.steps=6", "checkpoint.every=4"})));
  std::filesystem::remove_all(trial.path("runs/tiny/checkpoints/step_00000006"));
}

}  // namespace

TEST_CASE("resume: the later losses are those of a run that was never stopped") {
  struct Row {
    int before, after;
  };
  for (const Row& row : {Row{2, 1}, Row{3, 2}, Row{1, 3}}) {
    CAPTURE(row.before);
    CAPTURE(row.after);
    const Trial trial;
    train_to_step_six(trial, row.before);
    const Outcome outcome = trial.run(row.after, kLatest);
    check_done(outcome);
    CHECK(contains(outcome.err, "goes on at step 4"));
    CHECK(after_resume(trial, 5) == unbroken(trial, 5));
  }
}

TEST_CASE("resume: from a step and from a checkpoint's path") {
  const Trial trial;
  check_done(trial.run(2));
  const Words once = trial.numbers("runs/tiny", 5);
  for (const std::string& from :
       {std::string("4"), std::string("runs/tiny/checkpoints/step_00000004")}) {
    CAPTURE(from);
    check_done(trial.run(1, {"--resume", from}));
    const Words all = trial.numbers("runs/tiny", 5);
    CHECK(Words(all.end() - std::ptrdiff_t(once.size()), all.end()) == once);
  }
}

TEST_CASE("resume: a run folder that is there is refused with a command that works") {
  const Trial trial;
  train_to_step_six(trial, 1);
  const Words before = trial.names("runs/tiny/checkpoints");
  const Outcome refused = trial.run(2, sets({"checkpoint.keep=3"}));
  check_refused(refused, 2, {"runs/tiny", kGoOn});
  CHECK(trial.names("runs/tiny/checkpoints") == before);
  const Outcome outcome = trial.typed(rest_of_line(refused.err, kGoOn));
  check_done(outcome);
  CHECK(contains(outcome.out, "2 ranks"));
  CHECK(after_resume(trial, 5) == unbroken(trial, 5));
}

TEST_CASE("resume: a finished run has nothing left to do and says so") {
  const Trial trial;
  check_done(trial.run(1));
  const Words checkpoints = trial.names("runs/tiny/checkpoints");
  const std::string state = trial.read("runs/tiny/checkpoints/step_00000010/state.json");
  const Outcome again = trial.run(2, kLatest);
  check_done(again);
  CHECK(contains(again.said(), "finished already"));
  CHECK(trial.names("runs/tiny/checkpoints") == checkpoints);
  CHECK(trial.read("runs/tiny/checkpoints/step_00000010/state.json") == state);
  CHECK(trial.numbers("runs/tiny", 10).size() == 4);  // loss, norm and rate of the step, held out
}

TEST_CASE("resume: what cannot be gone on with is refused") {
  const Trial trial;
  check_refused(trial.run(1, kLatest), 2, {"runs/tiny"});
  CHECK_FALSE(trial.has("runs"));
  check_done(trial.run(1));
  check_refused(trial.run(1, {"--resume", "5"}), 7, {"step", "5"});
  check_refused(trial.run(2, {"--resume", "elsewhere"}), 7, {"elsewhere"});
  check_refused(trial.run(2, kLatest + sets({"model.layers=3"})), 7, {"layers.2.mlp"});
}

TEST_CASE("resume: a torn checkpoint is passed over with a warning") {
  const Trial trial;
  check_done(trial.run(2));
  std::filesystem::remove(trial.path("runs/tiny/checkpoints/step_00000010/index.json"));
  const Outcome outcome = trial.run(2, kLatest);
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.err, "goes on at step 8"));
  CHECK(count(outcome.err, "ignored runs/tiny/checkpoints/step_00000010, which is torn") == 1);
}
