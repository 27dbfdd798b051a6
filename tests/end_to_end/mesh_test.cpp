// Run files with mesh axes and strategies of their own.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

Words plugin(const std::string& name) {
  return {"--plugin", fixture_plugin("probe_" + name).string()};
}
const Words kPipeline =
    plugin("zero_bubble") +
    sets({"mesh.pp=2", "batch.micro_batch=2",
          "parallel=[{use: zero_bubble}, {use: fsdp, reduction: micro_batch}]"});

}  // namespace

TEST_CASE("mesh: a pipeline has the losses of one process to the last bit, and goes on anywhere") {
  const Trial trial;
  const Words same = sets({"batch.micro_batch=2"});
  check_done(trial.run(1, same + sets({"run.folder=alone"})));
  check_done(trial.run(2, kPipeline));
  CHECK(trial.numbers("runs/tiny") == trial.numbers("alone/tiny"));
  // Its checkpoint on one rank, and the other way round.
  const Words longer = sets({"run.steps=12"});
  check_done(trial.run(1, same + longer + Words{"--resume", "8"}));
  check_done(
      trial.run(2, kPipeline + longer + sets({"run.folder=alone"}) + Words{"--resume", "8"}));
  CHECK(trial.numbers("runs/tiny", 9) == trial.numbers("alone/tiny", 9));
}

// Five sequences are evaluated on two ranks that compute together: one repeats.
TEST_CASE("mesh: experts on two ranks have the losses of one") {
  const Trial trial;
  const Words experts =
      plugin("moe") + sets({"model={use: moe, vocabulary_size: 257}", "initializer.layers=1",
                            "eval.tokens=80", "parallel=[{use: expert_parallel}, {use: fsdp}]"});
  check_done(trial.run(1, experts + sets({"run.folder=alone"})));
  check_done(trial.run(2, experts + sets({"mesh.ep=2"})));
  for (const char* name : {"train/loss", "eval/held_out/loss"}) {
    CAPTURE(name);
    const std::vector<double> alone = trial.series(name, "alone/tiny"), mine = trial.series(name);
    REQUIRE(mine.size() == alone.size());
    for (std::size_t i = 0; i != mine.size(); ++i)
      CHECK(mine[i] == doctest::Approx(alone[i]).epsilon(1e-4));
  }
  check_refused(trial.run(2, experts + sets({"mesh.ep=2", "batch.sequences=5"})), 2,
                {"C0401", "5 micro-batches in a step do not divide by the 2 ranks"});
}

TEST_CASE("mesh: strategies and axes that do not fit are refused") {
  const Trial trial;
  const std::string owner = "{use: fsdp}", selector = "{use: zero_bubble}";
  const auto listed = [](const std::string& text) { return sets({"parallel=[" + text + "]"}); };
  struct Row {
    int ranks;
    Words more;
    const char* id;
    const char* text;
  };
  for (const Row& row :
       {Row{1, plugin("zero_bubble") + listed(selector), "C0305", "it lists no owner"},
        Row{1, plugin("zero_bubble") + listed(owner + ", {use: ddp}"), "C0305",
            "a run has exactly one owner, this lists a second: ddp"},
        Row{1, plugin("zero_bubble") + listed(selector + ", " + selector + ", " + owner), "C0305",
            "a run has at most one selector, this lists a second: zero_bubble"},
        Row{3, kPipeline, "C0301",
            "pp 2 x dp auto: 3 ranks are no multiple of 2: start it with -n 4"},
        Row{2, sets({"mesh.pp=2", "mesh.dp=2"}), "C0301",
            "pp 2 x dp 2 needs 4 ranks, this run has 2"},
        Row{2, sets({"mesh.pp=2"}), "C0401",
            "add a selector such as a pipeline, or remove mesh.pp"},
        Row{2, sets({"mesh.tp=2"}), "C0401", "tp: 2 ranks of dp 1 x tp 2"},
        Row{2,
            plugin("ring_attention") + listed("{use: ring_attention}, " + owner) +
                sets({"mesh.cp=2", "batch.sequence_length=15"}),
            "C0401", "sequences of 15 tokens do not divide by 2 ranks"},
        Row{2, kPipeline + sets({"batch.micro_batch=6"}), "C0401",
            "2 stages need as many micro-batches, 1 on 1 data-parallel ranks are too few"}}) {
    CAPTURE(row.text);
    check_refused(trial.run(row.ranks, row.more), 2, {row.id, row.text});
  }
}
