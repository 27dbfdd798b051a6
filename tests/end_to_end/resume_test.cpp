// Runs that go on: exactly as if they had never stopped.

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

const Words kLatest{"--resume", "latest"};

// A data set of a few steps an epoch, in which one sample makes the gradient norm not finite, and
// a checkpoint after each of twelve steps.
const std::string kOverflow =
    "layer_ops=[{use: overflowing, token: 126, layers: "
    "[model.embed_tokens, model.layers.1.mlp.down_proj]}]";
const Words kShortEpochs =
    Words{"--plugin", fixture_plugin("overflowing").string()} +
    sets({kOverflow, "run.steps=12", "eval.every=3", "checkpoint={every: 1, keep: 50}",
          "schedule={use: warmup_cosine, warmup: 5}"});

void write_short_text(const Trial& trial) {
  std::string text = trial.read("words.txt").substr(0, 720);
  text[100] = '~';
  trial.write("words.txt", text);
}

std::vector<int> skipped_steps(const Trial& trial, const std::string& run) {
  std::vector<int> steps;
  for (const nlohmann::json& record : trial.metrics(run))
    if (record.contains("train/grad_norm") && record["train/grad_norm"].is_null())
      steps.push_back(record["step"]);
  return steps;
}

std::string on(int ranks) { return "on" + std::to_string(ranks); }

nlohmann::json state_of(const Trial& trial, const std::string& run, const std::string& step) {
  nlohmann::json state =
      nlohmann::json::parse(trial.read(run + "/checkpoints/step_000000" + step + "/state.json"));
  for (const char* elsewhere : {"config", "changes"}) state.erase(elsewhere);
  return state;
}

}  // namespace

TEST_CASE("resume: saved on 1 to 4 ranks, gone on with on 1 to 4, every number is the same") {
  const Trial trial;
  write_short_text(trial);
  for (int ranks = 1; ranks <= 4; ++ranks)
    check_done(trial.run(ranks, kShortEpochs + sets({"run.folder=" + on(ranks)})));
  const Words unbroken = trial.numbers("on1/tiny");
  const std::vector<int> skipped = skipped_steps(trial, "on1/tiny");
  REQUIRE(skipped.size() == 2);  // one in each epoch
  CHECK(skipped[0] <= 7);        // an epoch has six and two thirds steps
  CHECK(skipped[1] >= 7);
  // Before the first step, in the warm-up, at its last step and at the first after it, in the first
  // epoch and in the second, before and after each skipped step.
  const std::vector<int> stops = {
      0, 1, 4, 5, 6, 8, 10, 11, skipped[0] - 1, skipped[0], skipped[1] - 1, skipped[1]};
  std::size_t next = 0;
  for (int before = 1; before <= 4; ++before) {
    CHECK(trial.numbers(on(before) + "/tiny") == unbroken);
    for (int after = 1; after <= 4; ++after) {
      const int stop = stops[next++ % stops.size()];
      CAPTURE(before);
      CAPTURE(after);
      CAPTURE(stop);
      const std::string folder = on(before) + "then" + std::to_string(after);
      trial.copy_run(on(before) + "/tiny", folder + "/tiny", stop);
      check_done(trial.run(after, kShortEpochs + sets({"run.folder=" + folder})));
      const int from = stop == 0 ? 0 : stop + 1;
      CHECK(trial.numbers_since_resume(folder + "/tiny") == trial.numbers("on1/tiny", from));
      CHECK(state_of(trial, folder + "/tiny", "12") == state_of(trial, "on1/tiny", "12"));
    }
  }
}

TEST_CASE("resume: samples come in the same order, each epoch takes each one once (R-05)") {
  const Trial trial;
  write_short_text(trial);
  const Words traced =
      Words{"--plugin", fixture_plugin("numbered").string()} +
      sets({"data.train={use: numbered, samples: 40}", "tokenizer=null", "model.vocabulary_size=97",
            "eval=null", "run.steps=14", "checkpoint={every: 1, keep: 50}", "batch.micro_batch=2"});
  const auto ids = [&](const std::string& file) {
    std::vector<int> all;
    std::istringstream text(trial.has(file) ? trial.read(file) : "");
    for (int id = 0; text >> id;) all.push_back(id);
    return all;
  };
  const auto run = [&](int ranks, const std::string& folder, const std::string& trace) {
    const Words words = Words{"run", "run.yaml", "-n", std::to_string(ranks)} + traced +
                        sets({"run.folder=" + folder});
    check_done(trial.mortise(words, {{"MORTISE_TEST_TRACE", trial.path(trace).string()}}));
  };
  run(1, "a", "unbroken");
  const std::vector<int> unbroken = ids("unbroken");
  REQUIRE(unbroken.size() >= 14 * 6);
  for (int epoch = 0; epoch != 2; ++epoch) {
    std::vector<int> part(unbroken.begin() + epoch * 40, unbroken.begin() + (epoch + 1) * 40);
    if (epoch == 1) CHECK(part != std::vector<int>(unbroken.begin(), unbroken.begin() + 40));
    std::sort(part.begin(), part.end());
    for (int i = 0; i != 40; ++i) CHECK(part[std::size_t(i)] == i);
  }
  for (const int stop : {3, 9}) {  // in epoch 0 and in epoch 1
    CAPTURE(stop);
    for (const int ranks : {1, 2}) {
      CAPTURE(ranks);
      const std::string name = "b" + std::to_string(stop) + std::to_string(ranks);
      trial.copy_run("a/tiny", name + "/tiny", stop);
      run(ranks, name, name + "ids");
      std::vector<int> got = ids(name + "ids");
      std::vector<int> expected(unbroken.begin() + stop * 6, unbroken.begin() + 14 * 6);
      got.resize(std::min(got.size(), unbroken.size()));
      if (ranks == 1) {
        got.resize(expected.size());
      } else {  // two ranks write in an order of their own, and read a step ahead
        expected.assign(unbroken.begin() + stop * 6, unbroken.end());
        std::sort(got.begin(), got.end());
        std::sort(expected.begin(), expected.end());
      }
      CHECK(got == expected);
    }
  }
}

TEST_CASE("resume: the learning rate of every step is that of an unbroken run (R-04)") {
  const Trial trial;
  const Words twenty = sets({"run.steps=20", "eval=null", "checkpoint={every: 1, keep: 50}",
                             "schedule={use: warmup_cosine, warmup: 5}"});
  check_done(trial.run(1, twenty));
  const std::vector<double> rates = trial.series("train/learning_rate");
  REQUIRE(rates.size() == 20);
  for (int step = 0; step != 5; ++step) CHECK(rates[std::size_t(step)] == 1e-2 * (step + 1) / 5.0);
  for (const int stop : {0, 4, 5, 7, 19}) {
    CAPTURE(stop);
    const std::string folder = "stopped" + std::to_string(stop);
    trial.copy_run("runs/tiny", folder + "/tiny", stop);
    check_done(trial.run(1, twenty + sets({"run.folder=" + folder})));
    std::vector<double> all = trial.series("train/learning_rate", folder + "/tiny");
    all.erase(all.begin(), all.begin() + 20);
    CHECK(all == std::vector<double>(rates.begin() + stop, rates.end()));
  }
}

TEST_CASE("resume: skipped steps in a row are counted across a stop") {
  const Trial trial;
  const Words diverging = sets({"optimizer.learning_rate=1e9", "gradients={max_skipped: 3}",
                                "run.steps=50", "checkpoint={every: 1, keep: 50}", "eval=null"});
  check_refused(trial.run(1, diverging), 5, {"4 steps in a row"});
  const int last = trial.metrics().back()["step"];
  const std::vector<int> skipped = skipped_steps(trial, "runs/tiny");
  REQUIRE(skipped == std::vector<int>{last - 3, last - 2, last - 1, last});
  trial.copy_run("runs/tiny", "again/tiny", last - 2);  // two of them are done
  check_refused(trial.run(2, diverging + sets({"run.folder=again"})), 5, {"4 steps in a row"});
  CHECK(trial.numbers_since_resume("again/tiny") == trial.numbers("runs/tiny", last - 1));
}

TEST_CASE(
    "resume: a killed run has each finished step on disk, the ones done again can be told (L-03)") {
  const Trial trial;
  Program::Start start =
      trial.start(Words{"run", "run.yaml"} +
                  sets({"run.steps=20", "checkpoint.every=5", "eval=null", "batch.sequences=48"}));
  Program program(start);
  REQUIRE(program.wait_until_it_says("step 14/20"));
  program.send(SIGKILL);
  CHECK(program.wait().signal == SIGKILL);
  const int last = trial.metrics().back()["step"];  // every line is whole; 14 may be under way
  CHECK(last >= 13);
  REQUIRE(last < 20);
  const int saved = std::stoi(trial.names("runs/tiny/checkpoints").back().substr(5));
  const Outcome again = Program(start).wait();
  check_done(again);
  CHECK(contains(again.err, "goes on at step " + std::to_string(saved) + " of 20"));

  // A reader drops what stands before a marker for later steps: each step is there once.
  std::vector<int> merged, resumed_at;
  for (const nlohmann::json& record : trial.metrics()) {
    if (record.contains("resumed_at")) {
      resumed_at.push_back(record["resumed_at"]);
      std::erase_if(merged, [&](int step) { return step > resumed_at.back(); });
    } else {
      merged.push_back(record["step"]);
    }
  }
  CHECK(resumed_at == std::vector<int>{saved});
  REQUIRE(merged.size() == 20);
  for (int step = 1; step <= 20; ++step) CHECK(merged[std::size_t(step - 1)] == step);
}

TEST_CASE("resume: from a step and from a checkpoint's path; later checkpoints are set aside") {
  const Trial trial;
  check_done(trial.run(2));
  const Words once = trial.numbers("runs/tiny", 5);
  const std::string checkpoints = "runs/tiny/checkpoints";
  const std::string before = trial.read(checkpoints + "/step_00000010/index.json");
  for (const std::string& from : {std::string("4"), checkpoints + "/step_00000004"}) {
    CAPTURE(from);
    const Outcome outcome = trial.run(1, {"--resume", from});
    check_done(outcome);
    CHECK(count(outcome.err, "a later checkpoint was moved to ") == 2);
    CHECK(trial.numbers_since_resume() == once);
  }
  CHECK(trial.names(checkpoints) == Words{"step_00000004", "step_00000008", "step_00000008.aside",
                                          "step_00000008.aside-2", "step_00000010",
                                          "step_00000010.aside", "step_00000010.aside-2"});
  CHECK(trial.read(checkpoints + "/step_00000010.aside/index.json") == before);
}

TEST_CASE("resume: what cannot be gone on with is refused") {
  const Trial trial;
  check_refused(trial.run(1, kLatest), 2, {"runs/tiny"});
  CHECK_FALSE(trial.has("runs"));
  check_done(trial.run(1));
  check_refused(trial.run(1, {"--resume", "5"}), 7, {"step", "5"});
  check_refused(trial.run(2, {"--resume", "elsewhere"}), 7, {"elsewhere"});
}

TEST_CASE(
    "resume: a checkpoint of another model is refused with all names, or loaded in part (R-14)") {
  struct Row {
    std::string what;
    Words settings, accept, lists;
    std::string partial;
  };
  const Trial trial;
  check_done(trial.run(2, sets({"run.steps=4"})));
  const std::vector<Row> rows = {
      {"a layer more",
       {"model.layers=3"},
       {"model.layers"},
       {"missing in the checkpoint (9)", "model.layers.2.mlp.up_proj.weight"},
       "done: 6 steps"},
      {"a layer less",
       {"model.layers=1"},
       {"model.layers"},
       {"not expected (9)", "model.layers.1.mlp.up_proj.weight"},
       "done: 6 steps"},
      {"another width",
       {"model.hidden=40"},
       {"model.hidden"},
       {"of another shape or type (6)", "expected F32[40, 32], the checkpoint has F32[48, 32]"},
       "done: 6 steps"},
      {"untied weights",
       {"model.tied=false"},
       {"model.tied"},
       {"missing in the checkpoint (1)", "lm_head.weight"},
       "done: 6 steps"},
      {"another kind of model",
       {"model={use: gpt2, width: 32, layers: 2, heads: 4}"},
       {"model"},
       {"missing in the checkpoint", "not expected", "transformer.wte.weight",
        "model.embed_tokens.weight"},
       "done: 6 steps"}};
  const std::string config = trial.read("runs/tiny/config.yaml");
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Words more = sets(row.settings) + sets({"run.steps=6"});
    check_refused(trial.run(1, more), 2, {"C0307", row.accept[0]});
    for (const std::string& key : row.accept) more = more + Words{"--accept", key};
    check_refused(trial.run(1, more), 7, Words{"K0030", "allow_partial"} + row.lists);
    CHECK(trial.read("runs/tiny/config.yaml") == config);  // nothing was written
    trial.copy_run("runs/tiny", std::string("part/tiny"), 4);
    const Outcome partial =
        trial.run(2, more + sets({"checkpoint.allow_partial=true", "run.folder=part"}));
    check_done(partial);
    for (const std::string& part : row.lists) CHECK(contains(partial.err, part));
    CHECK(contains(partial.said(), row.partial));
    std::filesystem::remove_all(trial.path("part"));
  }
}

TEST_CASE(
    "resume: a torn checkpoint is passed over with a warning; if all are, the run is not begun "
    "anew") {
  const Trial trial;
  check_done(trial.run(2));
  const std::string checkpoints = "runs/tiny/checkpoints";
  std::filesystem::remove(trial.path(checkpoints + "/step_00000010/index.json"));
  const Outcome outcome = trial.run(2);
  CHECK(outcome.exit == 0);
  CHECK(outcome.err.rfind("goes on at step 8", 0) == 0);
  CHECK(count(outcome.err, "ignored " + checkpoints + "/step_00000010, which is torn") == 1);
  for (const std::string& name : trial.names(checkpoints))
    std::filesystem::remove(trial.path(checkpoints + "/" + name + "/index.json"));
  check_refused(trial.run(1), 7, {"K0031", "none of them is complete", "step_00000004", "--new"});
}
