// The program with one run file, `pipeline` and `fsdp` under parallel, on several meshes.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

const Words kStaged =
    sets({"parallel=[{use: pipeline}, {use: fsdp, reduction: micro_batch}]", "log.every=1"});

struct OnMesh {
  int ranks;
  Words mesh;  // settings
};

Words generated(const Trial& trial, const std::string& run) {
  const Outcome outcome =
      trial.mortise({"generate", run, "--prompt", "The ", "--tokens", "24", "--temperature", "0"});
  check_done(outcome);
  return {outcome.out};
}

}  // namespace

TEST_CASE("pipeline: one file has the same metrics to the last bit on every mesh, and one text") {
  const Trial trial;
  check_done(trial.run(1, kStaged + sets({"run.folder=alone"})));
  const Words alone = trial.numbers("alone/tiny");
  CHECK(alone.size() == 10 * 3 + 3 * 2);  // as on one rank without a selector
  for (const OnMesh& m :
       {OnMesh{2, {"mesh.pp=2"}}, OnMesh{2, {"mesh.dp=2"}}, OnMesh{2, {"mesh.dp_replicate=2"}},
        OnMesh{4, {"mesh.pp=4"}}, OnMesh{4, {"mesh.pp=2", "mesh.dp=2"}},
        OnMesh{4, {"mesh.pp=2", "mesh.dp_replicate=2"}}}) {
    std::string folder = "on";
    for (const std::string& axis : m.mesh) folder += "_" + axis;
    CAPTURE(folder);
    check_done(trial.run(m.ranks, kStaged + sets(m.mesh) + sets({"run.folder=" + folder})));
    CHECK(trial.numbers(folder + "/tiny") == alone);
  }
  CHECK(generated(trial, "on_mesh.pp=4/tiny") == generated(trial, "alone/tiny"));
}

TEST_CASE("pipeline: a checkpoint of two stages goes on on one, on two shards, and back") {
  const Trial trial;
  check_done(trial.run(1, kStaged + sets({"run.folder=alone"})));
  check_done(trial.run(2, kStaged + sets({"mesh.pp=2"})));
  const auto go_on = [&](int ranks, const Words& mesh, int step) {
    check_done(trial.run(ranks, kStaged + sets(mesh) + Words{"--resume", std::to_string(step)}));
    CHECK(trial.numbers_since_resume() == trial.numbers("alone/tiny", step + 1));
  };
  go_on(1, {}, 4);             // written by two stages
  go_on(2, {"mesh.dp=2"}, 8);  // written by one rank
  go_on(2, {"mesh.dp=2"}, 4);
  go_on(4, {"mesh.pp=2", "mesh.dp=2"}, 8);  // written by two shards
  go_on(2, {"mesh.pp=2", "parallel=[{use: pipeline}, {use: ddp, reduction: micro_batch}]"}, 4);
}

TEST_CASE("pipeline: its start report says which units a stage has") {
  const Trial trial;
  const Outcome outcome = trial.run(2, kStaged + sets({"mesh.pp=2", "run.steps=1"}));
  check_done(outcome);
  CHECK_MESSAGE(
      contains(outcome.said(),
               "stages     2: model.embed_tokens … model.layers.0 | model.layers.1 … lm_head"),
      outcome.said());
}

TEST_CASE("pipeline: what cannot be is refused at the start, with numbers and what is allowed") {
  const Trial trial;
  struct Row {
    int ranks;
    Words more;
    const char* id;
    const char* text;
  };
  const auto split = [](const std::string& list) {
    return sets({"mesh.pp=2", "parallel=[{use: pipeline, split: [" + list + "]}, {use: fsdp}]"});
  };
  for (
      const Row& row :
      {Row{5, kStaged + sets({"mesh.pp=5"}), "C0401",
           "mesh: pp: 5 stages are more than the model's 4 units: write 1 to 4"},
       Row{2, kStaged + sets({"mesh.pp=2", "batch.micro_batch=6"}), "C0401",
           "mesh: pp: 2 stages need as many micro-batches, 1 on 1 data-parallel ranks are too few: "
           "lower batch.micro_batch, or write pp: 1"},
       Row{2, sets({"mesh.pp=2"}), "C0401",
           "mesh: pp: 2 stages, and no strategy under parallel: puts units on them"},
       Row{4, sets({"mesh.pp=2", "mesh.dp=3"}), "C0301",
           "mesh: pp 2 x dp 3 needs 6 ranks, this run has 4"},
       Row{2, split("model.layers.0, lm_head"), "C0401",
           "split: it lists 2 units for 2 stages (mesh.pp): expected 1"},
       Row{2, split("model.layers.7"), "C0401",
           "split: 'model.layers.7' is no unit of the model; its units are model.embed_tokens, "
           "model.layers.0, model.layers.1, lm_head"},
       Row{2, sets({"mesh.pp=2", "parallel=[{use: pipeline, schedule: interleaved}, {use: fsdp}]"}),
           "C0106", "`interleaved` is not one of 1f1b, gpipe"},
       Row{2, sets({"mesh.pp=2", "parallel=[{use: pipeline}, {use: pipeline}, {use: fsdp}]"}),
           "C0305", "a run has at most one selector, this lists a second: pipeline"},
       Row{2, sets({"mesh.pp=2", "parallel=[{use: pipeline}, {use: fsdp}, {use: ddp}]"}), "C0305",
           "a run has exactly one owner, this lists a second: ddp"}}) {
    CAPTURE(row.text);
    check_refused(trial.run(row.ranks, row.more), 2, {row.id, row.text});
    CHECK_FALSE(trial.has("runs/tiny"));
  }
}
