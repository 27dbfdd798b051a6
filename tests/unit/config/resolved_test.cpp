#include <doctest/doctest.h>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
using namespace mortise::host;

namespace {

// Everything that is written in a way of its own.
const char* const kRich =
    R"(run: {stop_after: 23h30m, early_stop: {metric: eval/wiki/loss}, name: "größe-1.5"}
eval:
  every: 1B tokens
  hold_out: 2.5%
  sets:
    wiki: {ref: data.train}
    code: {use: packed_tokens, files: ["a b", "$${x}", "quo\"te", "back\\slash", "tab\there", "line\nbreak", "\x01"], language: "no"}
    mixed: {use: mixture, sources: {a: {use: text, files: [x], language: "~"}}, stages: [{until: 85%, weights: {a: 0.1}}, {until: 3 epochs}]}
optimizer:
  - {use: muon, parameters: [matrix], learning_rate: 0.02}
  - {use: "org.mortise.test:adamw", name: rest, learning_rate: 3e-4, betas: [], epsilon: 1e-300}
schedule: {use: warmup_cosine, warmup: 90s, final: 0.30000000000000004}
parallel: []
recompute: {every: 2}
layer_ops: [{use: lora, inner: {use: lora, rank: 9223372036854775807}}]
log: {sinks: [console, {use: mlflow, token: "null"}], every: 20}
gradients: {norm: inf}
)";

}  // namespace

TEST_CASE("resolved file: it loads to the same settings") {
  const std::string file = std::string(kBasics) + kRun + kModel + kRich;
  const auto with_run =
      load(without(file, "run: {steps: 300}\n"), {"run.steps=300", "data.shuffle=false"},
           "loss: cross_entropy\nlog: {sinks: [jsonl]}\nparallel: [fsdp]\n");
  REQUIRE(with_run.error == "");
  CAPTURE(with_run.run.resolved_yaml);
  const auto again = load(with_run.run.resolved_yaml, {},
                          "loss: cross_entropy\nlog: {sinks: [jsonl]}\nparallel: [fsdp]\n");
  REQUIRE(again.error == "");
  CHECK(same_value(with_run.run.root, again.run.root));
  const auto alone = load(with_run.run.resolved_yaml);
  REQUIRE(alone.error == "");
  CHECK(same_value(with_run.run.root, alone.run.root));
  CHECK(
      again.run.root.at("eval").at("sets").at("code").at("files").as_list()[6].as_text().ends_with(
          "\x01"));
}

TEST_CASE("resolved file: each value has its origin beside it, and one setting off is seen") {
  const auto loaded = load(whole_run("schedule: warmup_cosine\n"), {"run.seed=5"});
  const std::string& text = loaded.run.resolved_yaml;
  CHECK(contains(text, "  seed: 5  # --set\n"));
  CHECK(contains(text, "run.yaml:6:28\n"));
  CHECK(contains(text, "  dropout: 0  # default of llama\n"));
  CHECK(contains(text, "  steps: 300  # linked to run.steps\n"));
  CHECK(contains(text, "  # vocabulary_size: linked to tokenizer.vocabulary_size\n"));
  CHECK(contains(text, "  name: run  # default of run\n"));
  const auto other = load(text, {"optimizer.betas=[0.9, 0.951]"});
  REQUIRE(other.error == "");
  CHECK_FALSE(same_value(other.run.root, loaded.run.root));
}

TEST_CASE("resolved file: written again after wiring it holds what was linked") {
  auto loaded = load(whole_run());
  resolve_links(loaded.run.root,
                {{"tokenizer.vocabulary_size", fact(std::int64_t{257}, "tokenizer")}});
  const std::string text = write_resolved(loaded.run.root);
  CHECK(contains(text, "  vocabulary_size: 257  # linked to tokenizer.vocabulary_size\n"));
  CHECK(same_value(load(text).run.root, loaded.run.root));
}
