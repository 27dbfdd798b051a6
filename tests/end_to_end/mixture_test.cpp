// Runs on several sources and on isolated documents: proportions, numbers of each source, any
// number of ranks, resuming, and what is refused.

#include <doctest/doctest.h>

#include <cmath>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

// Two sources of text and one with masks; another mixture from step 6 of 12 on.
const Words kMixture =
    Words{"--plugin", fixture_plugin("ragged").string()} +
    sets({"data.train={use: mixture, sources: {web: {use: text, files: words.txt}, "
          "code: {use: text, files: code.jsonl}, masked: {use: ragged, samples: 9}}, "
          "stages: [{until: 50%, weights: {web: 60, code: 25, masked: 15}}, "
          "{weights: {web: 1, masked: 3}}]}",
          "eval=null", "run.steps=12", "batch.sequences=20", "batch.micro_batch=2",
          "checkpoint={every: 1, keep: 50}"});

void write_sources(const Trial& trial) {
  std::string lines;
  for (int i = 0; i != 30; ++i)
    lines += "{\"text\": \"def f" + std::to_string(i * i) + "(x): return x + " + std::to_string(i) +
             "\"}\n";
  trial.write("code.jsonl", lines);
}

std::vector<nlohmann::json> steps_of(const Trial& trial, const std::string& run) {
  std::vector<nlohmann::json> steps;
  for (nlohmann::json& record : trial.metrics(run))
    if (record.contains("train/loss")) steps.push_back(std::move(record));
  return steps;
}

// Everything about data and training, as text.
Words data_numbers(const Trial& trial, const std::string& run, int from_step) {
  Words all;
  for (const nlohmann::json& record : steps_of(trial, run))
    for (const auto& [name, value] : record.items())
      if (record["step"] >= from_step && (name.starts_with("train/") || name.starts_with("data/")))
        all.push_back(record["step"].dump() + " " + name + " " + value.dump());
  return all;
}

}  // namespace

TEST_CASE("mixture: the sources' losses and tokens add up to those of the run, stage by stage") {
  const Trial trial;
  write_sources(trial);
  check_done(trial.run(1, kMixture));
  const std::vector<nlohmann::json> steps = steps_of(trial, "runs/tiny");
  REQUIRE(steps.size() == 12);
  for (const nlohmann::json& record : steps) {
    CAPTURE(record.dump());
    double loss = 0, counted = 0, drawn = 0;
    for (const std::string source : {"web", "code", "masked"}) {
      drawn += record["data/tokens/" + source].get<double>();
      if (!record.contains("train/loss/" + source)) continue;
      const double tokens = record["train/tokens/" + source];
      loss += record["train/loss/" + source].get<double>() * tokens;
      counted += tokens;
    }
    CHECK(loss / counted == doctest::Approx(record["train/loss"].get<double>()).epsilon(1e-9));
    CHECK(drawn == record["data/tokens"]);
  }
  // 6 steps of 20: 72, 30, 18; then a quarter and three quarters of 120.
  CHECK(steps[5]["data/tokens/web"] == 72 * 16);
  CHECK(steps[5]["data/tokens/code"] == 30 * 16);
  CHECK(steps[5]["data/epoch/masked"] == 2.0);
  CHECK(steps[11]["data/tokens/web"] == 102 * 16);
  CHECK(steps[11]["data/tokens/code"] == 30 * 16);
  CHECK(steps[11]["data/tokens/masked"] == 108 * 16);
  CHECK(steps[4].contains("train/loss/code"));
  CHECK_FALSE(steps[6].contains("train/loss/code"));
}

TEST_CASE("mixture: 1, 2, 3 and 4 ranks, and stopped and gone on with, are equal to the last bit") {
  const Trial trial;
  write_sources(trial);
  for (int ranks = 1; ranks <= 4; ++ranks)
    check_done(trial.run(ranks, kMixture + sets({"run.folder=on" + std::to_string(ranks)})));
  for (const char* run : {"on2/tiny", "on3/tiny", "on4/tiny"}) {
    CAPTURE(run);
    Words with_sources = data_numbers(trial, run, 0), wanted = data_numbers(trial, "on1/tiny", 0);
    CHECK(with_sources.size() == wanted.size());
    // Losses of sources are sums over ranks, in another order.
    const auto drop = [](Words& words) {
      std::erase_if(words, [](const std::string& w) { return contains(w, "train/loss/"); });
    };
    drop(with_sources), drop(wanted);
    CHECK(with_sources == wanted);
    for (const std::string source : {"web", "code", "masked"}) {
      const std::vector<double> got = trial.series("train/loss/" + source, run),
                                one = trial.series("train/loss/" + source, "on1/tiny");
      REQUIRE(got.size() == one.size());
      for (std::size_t i = 0; i != got.size(); ++i)
        CHECK(got[i] == doctest::Approx(one[i]).epsilon(1e-12));
    }
  }
  struct Row {
    int before, stop, after;
  };
  for (const Row& row : {Row{1, 3, 1}, Row{1, 6, 2}, Row{2, 7, 4}, Row{4, 11, 1}}) {
    CAPTURE(row.before);
    CAPTURE(row.stop);
    CAPTURE(row.after);
    const std::string folder = "again" + std::to_string(row.stop);
    trial.copy_run("on" + std::to_string(row.before) + "/tiny", folder + "/tiny", row.stop);
    check_done(trial.run(row.after, kMixture + sets({"run.folder=" + folder})));
    const auto without_sources = [](Words words) {
      std::erase_if(words, [](const std::string& w) { return contains(w, "train/loss/"); });
      return words;
    };
    CHECK(without_sources(trial.numbers_since_resume(folder + "/tiny")) ==
          without_sources(trial.numbers("on1/tiny", row.stop + 1)));
  }
}

TEST_CASE("mixture: what cannot be mixed is refused before the first step") {
  const Trial trial;
  write_sources(trial);
  const auto with = [&](const std::string& train, int exit, const Words& parts) {
    CAPTURE(train);
    check_refused(trial.run(1, sets({"data.train={use: mixture, " + train + "}", "eval=null"})),
                  exit, parts);
    CHECK_FALSE(trial.has("runs/tiny"));
  };
  const std::string two =
      "sources: {web: {use: text, files: words.txt}, "
      "code: {use: text, files: code.jsonl}}";
  with("sources: {}", 2, {"at least one"});
  with(two + ", weights: {web: 1, coed: 1}", 2, {"coed is no source", "web, code"});
  with(two + ", weights: {web: 1, code: 0}", 2, {"code", "above 0"});
  with(two + ", weights: {web: 1, code: -2}", 2, {"code", "above 0"});
  with(two + ", weights: {web: 1}", 2, {"code has no weight"});
  with(two + ", weights: {web: 1, code: 1}, stages: [{weights: {web: 1, code: 1}}]", 2,
       {"they stand in the stages"});
  with(two + ", stages: [{weights: {web: 1, code: 1}}, {weights: {web: 1}}]", 2,
       {"number 1 needs an until"});
  with(two + ", stages: [{until: 80%, weights: {web: 1, code: 1}}, {until: 8, weights: {web: 1}}]",
       2, {"number 2 ends at step 8"});
  with(two + ", stages: [{until: 80%, weights: {web: 1, code: 1, math: 1}}]", 2,
       {"math is no source"});
  with(two + ", stages: [{until: 80%, weights: {web: 1, code: 1}}]", 2, {"step 8 of 10"});
  with(two + ", repeat: {code: 0}", 2, {"code", "above 0"});
  with(two + ", repeat: {math: 2}", 2, {"math is no source"});
  with(two + ", weights: {web: 1, code: 99}, repeat: {code: 0.5}", 4,
       {"source code runs out", "its repeat allows", "steps"});
  trial.write("empty.jsonl", "");
  with("sources: {web: {use: text, files: words.txt}, none: {use: text, files: empty.jsonl}}", 4,
       {"empty.jsonl"});
}

TEST_CASE("mixture: sources of different tokenizers are refused with both") {
  const Trial trial;
  write_sources(trial);
  check_done(trial.mortise({"data", "pack", "words.txt", "--tokenizer", "byte", "-o", "a.pbin"}));
  check_done(trial.mortise({"data", "pack", "code.jsonl", "--tokenizer", "byte", "-o", "b.pbin"}));
  std::string side = trial.read("b.pbin.json");
  side.replace(side.find("byte/1"), 6, "bite/1");
  trial.write("b.pbin.json", side);
  check_refused(
      trial.run(1, sets({"data.train={use: mixture, sources: {a: {use: packed_tokens, files: "
                         "a.pbin}, b: {use: packed_tokens, files: b.pbin}}}",
                         "eval=null"})),
      4, {"source b", "bite/1", "byte/1"});
}

TEST_CASE("mixture: a source that cannot be read is named with its sample, at its step") {
  const Trial trial;
  const Outcome outcome = trial.run(
      2, Words{"--plugin", fixture_plugin("ragged").string()} +
             sets({"data.train={use: mixture, sources: {web: {use: text, files: words.txt}, "
                   "bad: {use: ragged, samples: 9, broken: 5}}, weights: {web: 1, bad: 1}}",
                   "eval=null"}));
  check_refused(outcome, 4, {"source bad: ragged, sample 5 is broken"});
}

TEST_CASE("documents: isolated runs on any number of ranks, goes on, evaluates and generates") {
  const Trial trial;
  write_sources(trial);
  const Words isolated = sets({"data={documents: isolated, train: {use: text, files: code.jsonl}}",
                               "run.steps=8", "checkpoint={every: 1, keep: 50}"});
  check_done(trial.run(1, isolated + sets({"run.folder=on1"})));
  check_done(trial.run(2, isolated + sets({"run.folder=on2"})));
  check_done(trial.run(1, sets({"data={train: {use: text, files: code.jsonl}}", "run.steps=8",
                                "run.folder=joined"})));
  CHECK(trial.numbers("on1/tiny") == trial.numbers("on2/tiny"));
  CHECK(trial.numbers("on1/tiny") != trial.numbers("joined/tiny"));
  trial.copy_run("on1/tiny", "again/tiny", 5);
  check_done(trial.run(2, isolated + sets({"run.folder=again"})));
  CHECK(trial.numbers_since_resume("again/tiny") == trial.numbers("on1/tiny", 6));
  check_done(trial.mortise({"generate", "on1/tiny", "--prompt", "def", "--tokens", "5"}));
}

TEST_CASE("documents: who does not keep them apart is refused") {
  const Trial trial;
  write_sources(trial);
  const Words isolated = sets({"data.documents=isolated"});
  check_refused(trial.run(1, isolated + sets({"model.documents=joined"})), 2,
                {"C0314", "layer model.layers.0.self_attn"});
  check_refused(trial.run(1, sets({"model.documents=isolated"})), 2,
                {"C0314", "set data.documents to isolated"});
  const Words ragged =
      Words{"--plugin", fixture_plugin("ragged").string()} +
      sets({"data.train={use: ragged}", "tokenizer=null", "eval=null", "model.vocabulary_size=97"});
  check_refused(trial.run(1, isolated + ragged), 4,
                {"ragged, sample", "does not say where documents end"});
  check_refused(trial.run(1, sets({"data.train.documents=isolated", "eval=null"})), 4,
                {"words.txt", "data.documents says joined"});
}
