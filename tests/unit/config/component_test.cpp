#include <doctest/doctest.h>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
using namespace mortise::host;

TEST_CASE("components: a node is use with settings, and a bare word is {use: word}") {
  const auto loaded = load(whole_run("schedule: warmup_cosine\n"));
  REQUIRE(loaded.error == "");
  const ComponentNode& schedule = loaded.at("schedule").as_component();
  CHECK(schedule.interface_id == "mortise/learning_rate_schedule/1");
  CHECK(schedule.use == "warmup_cosine");
  CHECK(schedule.plugin == "org.mortise.test");
  CHECK(schedule.host_keys.empty());
  CHECK(loaded.at("schedule.warmup").as_amount() == Amount{2, Amount::Unit::percent});
  CHECK(loaded.at("model.rope.base").as_double() == 10000);
  CHECK(loaded.find("model.rope.window") == nullptr);
  CHECK(loaded.find("model.attention") == nullptr);
}

TEST_CASE("components: the host's keys stay apart from the component's") {
  const auto loaded =
      load(whole_run("layer_ops: {use: lora, layers: '*.q_proj', rank: 4}\ninitializer: {use: "
                     "scaled_normal, seed: 9}\nlog: {sinks: {use: jsonl, required: true}}\n"),
           {"optimizer={use: adamw, learning_rate: 1, parameters: [matrix, head]}"});
  REQUIRE(loaded.error == "");
  const ComponentNode& adamw = loaded.at("optimizer.0").as_component();
  CHECK(adamw.host_keys.size() == 2);
  CHECK(adamw.settings.size() == 5);
  CHECK(loaded.at("optimizer.parameters").as_list().size() == 2);
  CHECK(loaded.at("layer_ops.lora.layers.0").as_text() == "*.q_proj");
  CHECK(loaded.at("layer_ops.lora.rank").as_int() == 4);
  CHECK(loaded.at("initializer.seed").as_int() == 9);
  CHECK(loaded.at("log.sinks.jsonl.required").as_bool());
}

TEST_CASE("components: strategies of three kinds stand in one list") {
  const auto loaded = load(whole_run("parallel: [{use: tensor_parallel, sequence: true}, fsdp]\n"));
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("parallel.tensor_parallel").as_component().interface_id == "mortise/cutter/1");
  CHECK(loaded.at("parallel.fsdp").as_component().interface_id == "mortise/owner/1");
  CHECK(contains(load(whole_run("parallel: [adamw]\n")).error,
                 "there is no owner or selector or cutter `adamw`"));
}

TEST_CASE("components: use: plugin.id:name picks one of two that offer a name") {
  const auto loaded = load(std::string(kBasics) + kRun + kOptimizer + "model: org.x.models:net\n");
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("model").as_component().plugin == "org.x.models");
  CHECK(loaded.at("model").as_component().use == "net");
  CHECK(contains(loaded.run.resolved_yaml, "use: \"org.x.models:net\""));
  const auto plain = load(std::string(kBasics) + kRun + kOptimizer + "model: net\n");
  CHECK(plain.id == "P1020");
  CHECK(contains(plain.error,
                 "`net` is offered by org.x.models 1.2 (a.so) and com.y.nets 0.3 (b.so): write "
                 "`org.x.models:net`"));
}

TEST_CASE(
    "components: components stand inside components, in lists and in maps, and are shared by ref") {
  const auto loaded =
      load(whole_run("eval:\n  sets:\n    same: {ref: data.train}\n    mixed:\n      use: "
                     "mixture\n      sources: {a: {ref: eval.sets.same}, b: {use: text, files: "
                     "b.txt, tokenizer: {use: byte, lower: true}}}\n"
                     "      stages: [{until: 85%, weights: {a: 80, b: 20}}]\n"));
  REQUIRE(loaded.error == "");
  const ComponentNode& same = loaded.at("eval.sets.same").as_component();
  CHECK(same.ref == "data.train");
  CHECK(same.interface_id == "mortise/dataset/1");
  CHECK(same.settings.empty());
  CHECK(loaded.at("eval.sets.mixed.sources.a").as_component().ref == "data.train");
  CHECK(loaded.at("eval.sets.mixed.sources.b.tokenizer.lower").as_bool());
  CHECK(loaded.at("eval.sets.mixed.stages.0.until").as_amount() ==
        Amount{85, Amount::Unit::percent});
  CHECK(loaded.at("eval.sets.mixed.stages.0.weights.a").as_double() == 80);
}

TEST_CASE("components: a ref and a node inside one another are a circle") {
  const auto loaded =
      load(whole_run("layer_ops: [{use: lora, inner: {use: lora, inner: {ref: layer_ops.0}}}]\n"));
  CHECK(contains(loaded.error, "error[C0113]: layer_ops.lora.inner.inner: ref: cycle"));
}

TEST_CASE("components: linked defaults copy what is in the file and wait for what wiring knows") {
  auto loaded = load(whole_run("schedule: warmup_cosine\n"));
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("schedule.steps").as_int() == 300);
  CHECK(loaded.at("schedule.steps").origin == "linked to run.steps");
  CHECK(std::get<double>(loaded.at("schedule.scale").value) == 300.0);
  CHECK(loaded.at("model.context").as_int() == 256);
  CHECK(loaded.at("model.vocabulary_size").is_linked());
  REQUIRE(open_links(loaded.run.root).size() == 1);
  CHECK(open_links(loaded.run.root)[0]->path == "model.vocabulary_size");
  resolve_links(loaded.run.root,
                {{"tokenizer.vocabulary_size", fact(std::int64_t{257}, "tokenizer")}});
  CHECK(loaded.at("model.vocabulary_size").as_int() == 257);
  CHECK(loaded.at("model.vocabulary_size").origin == "linked to tokenizer.vocabulary_size");
  CHECK(open_links(loaded.run.root).empty());
  auto by_tokens =
      load(whole_run("schedule: warmup_cosine\n"), {"run.steps=null", "run.tokens=1B"});
  REQUIRE(by_tokens.error == "");
  CHECK(by_tokens.at("schedule.steps").is_linked());
  resolve_links(by_tokens.run.root, {{"run.steps", fact(std::int64_t{77}, "run.tokens")}});
  CHECK(by_tokens.at("schedule.steps").as_int() == 77);
  CHECK(by_tokens.at("model.vocabulary_size").is_linked());
}

TEST_CASE(
    "components: unknown, misplaced and misspelt keys of a plugin are found like the host's "
    "(C-03)") {
  struct Row {
    const char* set;
    const char* message;
  };
  for (const Row& row :
       {Row{"optimizer.weigth_decay=0.1",
            "optimizer.weigth_decay: unknown setting of adamw; did you mean weight_decay?"},
        Row{"optimizer.lr=1", "did you mean learning_rate?"},
        Row{"model.n_embd=5", "did you mean width?"},
        Row{"model.weight_decay=5", "it belongs to optimizer: write optimizer.weight_decay"},
        Row{"model.rope.bas=5", "model.rope.bas: unknown setting of llama; did you mean base?"},
        Row{"dropout=0.1", "dropout: unknown section; it belongs to model: write model.dropout"},
        Row{"learning_rate=1", "write optimizer.learning_rate"},
        Row{"weigth_decay=1", "did you mean optimizer.weight_decay?"},
        Row{"run.patience=1", "it belongs to run.early_stop: write run.early_stop.patience"},
        Row{"run.sink=x", "run.sink: unknown setting of run"},
        Row{"batch.model=x", "model is a section of its own"},
        Row{"model.parameters=x", "it belongs to optimizer: write optimizer.parameters"}}) {
    CAPTURE(row.set);
    const auto loaded = load(whole_run(), {row.set});
    CAPTURE(loaded.error);
    CHECK(contains(loaded.error, row.message));
    CHECK(count(loaded.error, "error[") == 1);
  }
}

TEST_CASE("components: required keys, limits and choices come from the plugin's schema") {
  const auto missing = load(std::string(kBasics) + kRun + kOptimizer + "model: llama\n");
  CHECK(count(missing.error, "error[C0102]") == 3);
  CHECK(contains(missing.error,
                 "model.width: is missing: llama needs an integer from 1 (size of a position)"));
  CHECK(contains(load(whole_run(), {"model.width=193"}).error,
                 "`193` is out of range: a multiple of 2"));
  CHECK(contains(load(whole_run(), {"model.activation=geluu"}).error,
                 "`geluu` is not one of silu, gelu; did you mean gelu?"));
  CHECK(contains(load(whole_run(), {"optimizer.betas=[0.9, 2]"}).error,
                 "optimizer.betas.1: `2` is out of range: at most 1"));
  CHECK(load(whole_run(), {"model.kv_heads=2", "model.heads=null"}).id == "C0102");
}

TEST_CASE("settings: asking for another type than the schema promises is our own mistake") {
  const auto loaded = load(whole_run());
  CHECK_THROWS_AS(loaded.at("run.steps").as_text(), std::logic_error);
  CHECK_THROWS_AS(loaded.at("run").at("nothing"), std::logic_error);
  CHECK(loaded.at("run.steps").as_double() == 300);
  CHECK(loaded.at("run").find("nothing") == nullptr);
  CHECK(find_path(loaded.run.root, "")->is_map());
}
