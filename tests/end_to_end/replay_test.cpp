// A step repeated: the numbers that were recorded, and what was not finite first.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

// One sample holds the token 126 (~) and overflows in the second block.
Words overflowing(const std::string& where, const std::string& run) {
  return Words{"--plugin", fixture_plugin("overflowing").string()} +
         sets({"layer_ops=[{use: overflowing, token: 126, where: " + where +
                   ", layers: [model.embed_tokens, model.layers.1.mlp.down_proj]}]",
               "run.steps=12", "gradients.max_skipped=0", "checkpoint={every: 2, keep: 50}",
               "batch.micro_batch=2", "run.name=" + run});
}

void write_short_text(const Trial& trial) {
  std::string text = trial.read("words.txt").substr(0, 720);
  text[100] = '~';
  trial.write("words.txt", text);
}

nlohmann::json json_of(const Outcome& outcome) {
  check_done(outcome);
  return nlohmann::json::parse(outcome.out);
}

Words replay(const std::string& run, int step, const Words& more = {}) {
  return Words{"replay",   "runs/" + run,
               "--step",   std::to_string(step),
               "--plugin", fixture_plugin("overflowing").string()} +
         more;
}

}  // namespace

TEST_CASE("replay: the step that ended a run by max_skipped, found with the command of the error") {
  struct Row {
    std::string where;
    int ranks;
  };
  for (const Row& row : {Row{"forward", 1}, Row{"backward", 1}, Row{"forward", 2}}) {
    CAPTURE(row.where);
    CAPTURE(row.ranks);
    const Trial trial;
    write_short_text(trial);
    const Outcome ended = trial.run(row.ranks, overflowing(row.where, "tiny"));
    check_refused(ended, 5, {"T0101", "mortise replay runs/tiny"});
    const int step = trial.metrics().back()["step"];
    const Words before = trial.names("runs/tiny");

    const Outcome told = trial.typed(rest_of_line(ended.err, "not finite first:  "));
    check_done(told);
    CHECK(contains(told.out, "step " + std::to_string(step) + " of runs/tiny, repeated from "));
    CHECK(contains(told.out, "repeated exactly: "));
    CHECK(contains(told.out, "model.layers.1, " + row.where + ", micro-batch "));
    CHECK(contains(told.out, "~"));
    CHECK(trial.names("runs/tiny") == before);

    const nlohmann::json found = json_of(trial.mortise(replay("tiny", step, {"--json"})));
    CHECK(found["step"] == step);
    CHECK(found["from_step"] == (step - 1) / 2 * 2);
    CHECK(found["compared"] == step - (step - 1) / 2 * 2);
    CHECK(found["differ"].empty());
    CHECK(found["finite"] == false);
    CHECK(found["grad_norm"].is_string());
    CHECK(found["unit"]["name"] == "model.layers.1");
    CHECK(found["unit"]["phase"] == row.where);
    const std::string parameter = found["parameter"]["name"];
    CHECK(found["parameter"]["what"] == "gradient");
    // An infinite output of the block spoils the gradient of the head behind it first; a gradient
    // that overflows in the block, the weights of the block.
    CHECK((row.where == "forward"
               ? parameter == "model.norm.weight" || parameter == "model.embed_tokens.weight"
               : parameter.rfind("model.layers.1.", 0) == 0));
    bool has_it = false;
    for (const auto& sequence : found["batch"]) {
      const std::string text = sequence["text"];
      has_it = has_it || contains(text, "~");
      CHECK(text.size() <= 210);
      CHECK(sequence.contains("where"));
    }
    CHECK(has_it);
    CHECK(found["batch"].size() ==
          (row.where == "forward" ? 1 : 2));  // the row, where it can be told
  }
}

TEST_CASE("replay: a step in which all is finite says so, with the loss that was recorded") {
  const Trial trial;
  check_done(trial.run(2));
  const std::vector<double> losses = trial.series("train/loss");
  for (const int step : {1, 7, 10}) {  // before the first checkpoint, after the first, the last
    CAPTURE(step);
    const nlohmann::json found =
        json_of(trial.mortise({"replay", "runs/tiny/", "--step", std::to_string(step), "--json"}));
    CHECK(found["finite"] == true);
    CHECK(found["from_step"] == (step == 1 ? 0 : step == 7 ? 4 : 8));
    CHECK(found["loss"] == losses[std::size_t(step - 1)]);
    CHECK(found["differ"].empty());
    CHECK(found["unit"].is_null());
    CHECK(found["parameter"].is_null());
  }
  const Outcome told = trial.mortise({"replay", "runs/tiny", "--step", "7", "-n", "3"});
  check_done(told);
  CHECK(contains(told.out, "everything in this step is finite: loss "));
  CHECK(contains(told.out, "repeated exactly: 3 recorded losses are the same"));
}

TEST_CASE("replay: under the settings that were in force, and it says where it does not repeat") {
  const Trial trial;
  check_done(trial.run(1, sets({"run.steps=8", "checkpoint={every: 4, keep: 1}"})));
  check_done(trial.run(1, sets({"run.steps=12", "optimizer.learning_rate=5e-2",
                                "checkpoint={every: 4, keep: 50}"})));
  const auto at = [&](int step) {
    return json_of(
        trial.mortise({"replay", "runs/tiny", "--step", std::to_string(step), "--json"}));
  };
  CHECK(at(10)["from_step"] == 8);  // saved under the old rate, gone on with under the new one
  CHECK(at(10)["differ"].empty());
  CHECK(at(3)["from_step"] == 0);  // from the first weights, under the first settings
  CHECK(at(3)["differ"].empty());
  std::string metrics = trial.read("runs/tiny/metrics.jsonl");
  const std::size_t loss = metrics.find("\"train/loss\":", metrics.find("\"step\":10,"));
  metrics.replace(loss, 14, "\"train/loss\":9");
  trial.write("runs/tiny/metrics.jsonl", metrics);
  const Outcome told = trial.mortise({"replay", "runs/tiny", "--step", "10"});
  check_done(told);
  CHECK(
      contains(told.out, "not repeated exactly: 1 of 2 recorded losses differ, first at step 10"));
}

TEST_CASE("replay: where a step spoils the weights themselves, the first one is named") {
  const Trial trial;
  check_done(trial.run(
      1, sets({"run.steps=2", "optimizer.learning_rate=1e38", "eval=null", "checkpoint.every=1"})));
  const nlohmann::json found =
      json_of(trial.mortise({"replay", "runs/tiny", "--step", "2", "--json"}));
  CHECK(found["finite"] == false);
  CHECK(found["unit"]["phase"] == "forward");
  CHECK_FALSE(found["parameter"].is_null());
}

TEST_CASE("replay: what cannot be repeated is refused") {
  const Trial trial;
  check_refused(trial.mortise({"replay"}), 2, {"C0903"});
  check_refused(trial.mortise({"replay", "runs/tiny", "--step", "4"}), 7, {"K0031", "runs/tiny"});
  check_done(trial.run(1));
  check_refused(trial.mortise({"replay", "runs/tiny"}), 2, {"C0906"});
  check_refused(trial.mortise({"replay", "runs/tiny", "--step", "0"}), 2, {"C0906"});
  check_refused(trial.mortise({"replay", "runs/tiny", "--step", "11"}), 2, {"C0906", "10 steps"});
}
