// One run file with and without tensor parallelism; its checkpoints; what is refused.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

Words cut(int ranks, const std::string& more = "", const std::string& owner = "fsdp") {
  return sets({"mesh.tp=" + std::to_string(ranks),
               "parallel=[{use: tensor_parallel" + more + "}, {use: " + owner + "}]"});
}
const Words kShort = sets({"run.steps=4", "checkpoint.every=2"});
const Words kLonger = sets({"run.steps=8", "checkpoint.every=2"});

// Losses of all steps, and of the last evaluation: a run that has gone on was evaluated once more.
void check_close(const Trial& trial, const std::string& run, const std::string& expected) {
  CAPTURE(run);
  const auto close = [](double value) { return doctest::Approx(value).epsilon(2e-4); };
  const std::vector<double> all = trial.series("train/loss", expected),
                            mine = trial.series("train/loss", run);
  REQUIRE(mine.size() == all.size());
  for (std::size_t i = 0; i != mine.size(); ++i) CHECK(mine[i] == close(all[i]));
  CHECK(trial.series("eval/held_out/loss", run).back() ==
        close(trial.series("eval/held_out/loss", expected).back()));
}

}  // namespace

TEST_CASE(
    "tensor_parallel: one file gives the losses of one rank, and its checkpoints go anywhere") {
  const Trial trial;
  const auto in = [](const std::string& folder) { return sets({"run.folder=" + folder}); };
  const Words dp2_tp2 = cut(2) + sets({"mesh.dp=2"});
  check_done(trial.run(1, kShort + in("alone")));
  check_done(trial.run(2, kShort + cut(2) + in("two")));
  check_done(trial.run(2, kShort + cut(2, ", sequence: true", "ddp") + in("sequence")));
  check_close(trial, "two/tiny", "alone/tiny");
  check_close(trial, "sequence/tiny", "alone/tiny");
  // Gone on with: tp 2 on one rank, one rank as dp 2 x tp 2.
  const auto resumed = [&](int ranks, const Words& layout, const std::string& folder) {
    check_done(trial.run(ranks, kLonger + layout + in(folder) + Words{"--resume", "4"}));
  };
  check_done(trial.run(1, kLonger + in("whole")));
  resumed(1, {}, "two");
  resumed(4, dp2_tp2, "alone");
  check_close(trial, "two/tiny", "whole/tiny");
  check_close(trial, "alone/tiny", "whole/tiny");
}

TEST_CASE("tensor_parallel: ranks that cannot share a model are refused with what is allowed") {
  const Trial trial;
  struct Row {
    int ranks;
    Words more;
    Words parts;
  };
  for (const Row& row :
       {Row{3,
            cut(3),
            {"tp: 3 ranks cannot share layer", "which has 4 parts (heads): write tp: 1, 2 or 4"}},
        Row{2, sets({"mesh.tp=2"}), {"tp: 2 ranks of dp 1 x tp 2", "uses this axis"}},
        Row{2,
            cut(2, ", sequence: true") + sets({"batch.sequence_length=15"}),
            {"tp: 2 ranks do not divide the sequence of 15 tokens"}}}) {
    CAPTURE(row.parts.front());
    check_refused(trial.run(row.ranks, row.more), 2, row.parts);
  }
}
