#include <doctest/doctest.h>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
using namespace mortise::host;

namespace {

const char* const kDefaults = R"(data: {shuffle: {use: keyed_permutation, rounds: 12}}
initializer: scaled_normal
loss: cross_entropy
optimizer: {use: adamw, weight_decay: 0.3}
parallel: [{use: fsdp, reshard: true}]
log: {every: 25, sinks: [console, jsonl]}
)";

std::string with_optimizer(const std::string& optimizer) {
  return std::string(kBasics) + kRun + kModel + "optimizer: " + optimizer + "\n";
}

}  // namespace

TEST_CASE("composition: defaults.yaml lies lowest, the file above it, --set on top") {
  const auto loaded =
      load(with_optimizer("{learning_rate: 1e-3}"), {"optimizer.epsilon=1e-6"}, kDefaults);
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("optimizer.adamw").as_component().use == "adamw");
  CHECK(loaded.at("optimizer.weight_decay").as_double() == 0.3);
  CHECK(contains(loaded.at("optimizer.weight_decay").origin, "defaults.yaml:4:39"));
  CHECK(loaded.at("optimizer.epsilon").as_double() == 1e-6);
  CHECK(loaded.at("optimizer.epsilon").origin == "--set");
  CHECK(loaded.at("optimizer.fused").origin == "default of adamw");
  CHECK(loaded.at("log.sinks").as_list().size() == 2);
  CHECK(loaded.at("initializer.seed").as_int() == 1337);
}

TEST_CASE("composition: a node whose use changes replaces the old one whole") {
  const auto changed = load(with_optimizer("{use: muon, learning_rate: 0.02}"), {}, kDefaults);
  REQUIRE(changed.error == "");
  CHECK(changed.at("optimizer.muon").find("weight_decay") == nullptr);
  const auto same = load(with_optimizer("{use: adamw, learning_rate: 0.02}"), {}, kDefaults);
  CHECK(same.at("optimizer.weight_decay").as_double() == 0.3);
  const auto qualified =
      load(with_optimizer("{use: 'org.mortise.test:adamw', learning_rate: 0.02}"), {}, kDefaults);
  REQUIRE(qualified.error == "");
  CHECK(qualified.at("optimizer.weight_decay").as_double() == 0.3);
  const auto by_set = load(with_optimizer("{learning_rate: 0.02}"),
                           {"optimizer={use: muon, learning_rate: 1}"}, kDefaults);
  REQUIRE(by_set.error == "");
  CHECK(by_set.at("optimizer.learning_rate").as_double() == 1);
  const auto bare =
      load(whole_run("schedule: constant\n"), {}, "schedule: {use: warmup_cosine, final: 0.5}\n");
  REQUIRE(bare.error == "");
  CHECK(bare.at("schedule").as_component().use == "constant");
}

TEST_CASE("composition: a bare word and the mapping of another layer are one node") {
  const auto over_word = load(with_optimizer("{learning_rate: 1}"), {}, "optimizer: adamw\n");
  REQUIRE(over_word.error == "");
  CHECK(over_word.at("optimizer.adamw").as_component().use == "adamw");
  const auto over_mapping = load(whole_run("schedule: warmup_cosine\n"), {},
                                 "schedule: {use: warmup_cosine, final: 0.5}\n");
  CHECK(over_mapping.at("schedule.final").as_double() == 0.5);
  const auto set_into_word = load(whole_run("schedule: warmup_cosine\n"), {"schedule.final=0.25"});
  REQUIRE(set_into_word.error == "");
  CHECK(set_into_word.at("schedule.final").as_double() == 0.25);
  const auto word_for_choice = load(whole_run("recompute: {every: 2}\n"), {}, "recompute: all\n");
  REQUIRE(word_for_choice.error == "");
  CHECK(word_for_choice.at("recompute.every").as_int() == 2);
}

TEST_CASE("composition: lists replace, null takes back what lower layers said") {
  CHECK(
      load(whole_run("log: {sinks: [jsonl]}\n"), {}, kDefaults).at("log.sinks").as_list().size() ==
      1);
  CHECK(load(whole_run("log: {every: 5}\n"), {"log.every=null"}, kDefaults)
            .at("log.every")
            .as_amount()
            .value == 25);
  CHECK(
      load(whole_run("log: {every: 5}\n"), {"log.every=null"}).at("log.every").as_amount().value ==
      10);
  CHECK(
      load(whole_run("log: {every: 5}\n"), {"log="}, kDefaults).at("log.every").as_amount().value ==
      25);
  const auto other_node = load(whole_run(), {"schedule={use: warmup_cosine, final: null}"},
                               "schedule: {use: constant}\n");
  CHECK(other_node.at("schedule.final").as_double() == 0.1);
  CHECK(contains(load(whole_run("optimiser: null\n")).error, "did you mean optimizer?"));
  CHECK(contains(load(whole_run("model: null\n").substr(0, 0) + std::string(kBasics) + kRun +
                      kOptimizer + "model: null\n")
                     .error,
                 "model: is missing"));
}

TEST_CASE("composition: elements of lists are addressed by name or number, and appended") {
  const std::string file = whole_run(
      "log: {sinks: [console, {use: mlflow, name: first}, {use: mlflow, name: second, port: "
      "1}]}\n");
  const auto loaded =
      load(file,
           {"parallel.fsdp.reshard=false", "log.sinks+=jsonl", "log.sinks.second.port=80",
            "log.sinks.0.required=true", "log.sinks.first.token=abc"},
           kDefaults);
  REQUIRE(loaded.error == "");
  CHECK_FALSE(loaded.at("parallel.fsdp.reshard").as_bool());
  CHECK(loaded.at("parallel.fsdp.reshard").path == "parallel.fsdp.reshard");
  CHECK(loaded.at("log.sinks").as_list().size() == 4);
  CHECK(loaded.at("log.sinks.second.port").as_int() == 80);
  CHECK(loaded.at("log.sinks.first.token").as_text() == "abc");
  CHECK(loaded.at("log.sinks.console.required").as_bool());
  CHECK(loaded.at("log.sinks.3").as_component().use == "jsonl");
  const auto single =
      load(whole_run(), {"optimizer+={use: muon, learning_rate: 2}", "layer_ops+=[lora, lora]"});
  REQUIRE(single.error == "");
  CHECK(single.at("optimizer").as_list().size() == 2);
  CHECK(single.at("optimizer.muon.learning_rate").as_double() == 2);
  CHECK(single.at("layer_ops.1").path == "layer_ops.1");
}

TEST_CASE("composition: an override that addresses nothing says what there is") {
  struct Row {
    const char* set;
    const char* id;
    const char* message;
  };
  const std::string file = whole_run("log: {sinks: [{use: mlflow}, {use: mlflow}, console]}\n");
  for (const Row& row :
       {Row{"log.sinks.tensorboard.port=1", "C0024",
            "the list has no element `tensorboard`; there are mlflow, mlflow, console"},
        Row{"log.sinks.7.port=1", "C0024", "no element `7`"},
        Row{"log.sinks.mlflow.port=1", "C0024", "several elements are called `mlflow`"},
        Row{"run.steps", "C0023", "expected PATH=VALUE"},
        Row{"run..steps=1", "C0023", "a step of the path is empty"},
        Row{"=1", "C0023", "a step of the path is empty"},
        Row{"run.steps={a", "C0011", "is a bracket not closed?"},
        Row{"run.steps=[1", "C0011", "is a bracket not closed?"},
        Row{"run.stepz=3", "C0103", "run.stepz: unknown setting of run; did you mean steps?"},
        Row{"run.steps=abc", "C0104", "run.steps: `abc` is not a count"},
        Row{"run.seed=\"1\"", "C0108", "remove the quotes"}}) {
    CAPTURE(row.set);
    const auto loaded = load(file, {row.set});
    CAPTURE(loaded.error);
    CHECK(loaded.id == row.id);
    CHECK(contains(loaded.error, "--set: error["));
    CHECK(contains(loaded.error, row.message));
    CHECK(contains(loaded.error, std::string("| ") + row.set));
  }
  const auto caret = load(file, {"run.seed=abc"});
  CHECK(contains(caret.error, "      | run.seed=abc\n      |          ^~~"));
}

TEST_CASE("composition: included files lie under the file, in order, wherever they are searched") {
  const RunFolder folder;
  folder.write("parts/small.yaml",
               "model: {use: llama, width: 64, layers: 2, heads: 2}\nrun: {seed: 5}\n");
  folder.write("parts/nested.yaml", "include: deeper/deep.yaml\nrun: {seed: 7}\n");
  folder.write("parts/deeper/deep.yaml", "data: {train: {use: text, files: deep.txt}}\n");
  folder.write("elsewhere/shared.yaml", "log: {every: 99}\n");
  folder.write("installed/late.yaml", "checkpoint: {keep: 9}\n");
  const std::string elsewhere = (folder.path() / "elsewhere").string();
  const Variable search("MORTISE_CONFIG_PATH", ("/nowhere:" + elsewhere).c_str());
  LoadRequest request;
  request.include_folders = {(folder.path() / "installed").string()};
  request.file = folder.write(
      "run.yaml",
      std::string(
          "mortise: 1\ninclude: [parts/small.yaml, parts/nested.yaml, shared.yaml, late.yaml]\n") +
          kRun + kOptimizer + "model: {layers: 3}\n");
  const auto loaded = load(folder, request);
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("model.width").as_int() == 64);
  CHECK(loaded.at("model.layers").as_int() == 3);
  CHECK(loaded.at("run.seed").as_int() == 7);
  CHECK(loaded.at("log.every").as_amount().value == 99);
  CHECK(loaded.at("checkpoint.keep").as_int() == 9);
  CHECK(loaded.at("data.train.files.0").as_text() ==
        (folder.path() / "parts/deeper/deep.txt").string());
  CHECK(without(loaded.at("model.width").origin, folder.path().string() + "/") ==
        "parts/small.yaml:1:28");
}

TEST_CASE(
    "composition: includes that are missing or lead back are refused where they are written") {
  const RunFolder folder;
  folder.write("a.yaml", "include: b.yaml\n");
  folder.write("b.yaml", "include: [a.yaml]\n");
  LoadRequest request;
  request.file = folder.write("run.yaml", whole_run("include: [a.yaml, none.yaml]\n"));
  const auto loaded = load(folder, request);
  CHECK(contains(loaded.error,
                 "b.yaml:1:11: error[C0021]: include: cycle: a.yaml leads back to itself"));
  CHECK(contains(loaded.error,
                 "run.yaml:8:19: error[C0020]: include: `none.yaml` is neither beside this file"));
  request.file = folder.write("self.yaml", whole_run("include: self.yaml\n"));
  CHECK(contains(load(folder, request).error, "C0021"));
  for (int i = 0; i < 100; ++i)
    folder.write("chain" + std::to_string(i) + ".yaml",
                 "include: chain" + std::to_string(i + 1) + ".yaml\n");
  request.file = folder.write("long.yaml", whole_run("include: chain0.yaml\n"));
  CHECK(contains(load(folder, request).error, "more than 64 files"));
}

TEST_CASE(
    "composition: site.yaml holds the operator's sections and nothing of a run, and no run holds "
    "them") {
  const RunFolder folder;
  LoadRequest request;
  request.file = folder.write("run.yaml", whole_run());
  request.site_file = folder.write("etc/site.yaml", "folders: {plugins: plugins}\npolicy: warn\n");
  const auto loaded = load(folder, request);
  REQUIRE(loaded.error == "");
  CHECK(loaded.run.site.at("policy").as_text() == "warn");
  CHECK(find_path(loaded.run.site, "folders.plugins.0")->as_text() ==
        (folder.path() / "etc/plugins").string());
  request.site_file =
      folder.write("bad_site.yaml", "optimizer: adamw\npolicy: maybe\nfoldrs: {}\n");
  request.file = folder.write("bad_run.yaml", whole_run("policy: off\n"));
  const auto bad = load(folder, request);
  CHECK(contains(bad.error,
                 "bad_site.yaml:1:1: error[C0022]: optimizer: site.yaml holds only folders and "
                 "policy"));
  CHECK(contains(
      bad.error,
      "bad_site.yaml:2:9: error[C0106]: policy: `maybe` is not one of off, warn, require"));
  CHECK(
      contains(bad.error,
               "bad_site.yaml:3:1: error[C0100]: foldrs: unknown section; did you mean folders?"));
  CHECK(contains(bad.error,
                 "bad_run.yaml:8:1: error[C0022]: policy: belongs in the operator's site.yaml"));
}

TEST_CASE(
    "composition: inputs are relative to the file that names them, --set to the working folder") {
  const RunFolder folder;
  LoadRequest request;
  request.file = folder.write(
      "sub/run.yaml",
      std::string("mortise: 1\n") + kRun + kModel + kOptimizer +
          "data: {train: {use: text, files: [../a.txt, /abs/b.txt, './c/*.txt', 'http://x/y']}}\n");
  const auto loaded = load(folder, request);
  REQUIRE(loaded.error == "");
  const auto& files = loaded.at("data.train.files").as_list();
  CHECK(files[0].as_text() == (folder.path() / "a.txt").string());
  CHECK(files[1].as_text() == "/abs/b.txt");
  CHECK(files[2].as_text() == (folder.path() / "sub/c/*.txt").string());
  CHECK(files[3].as_text() == "http://x/y");
  request.sets = {"data.train.files=d.txt"};
  CHECK(load(folder, request).at("data.train.files.0").as_text() ==
        (std::filesystem::current_path() / "d.txt").string());
  CHECK(loaded.at("run.folder").as_text() == "runs");
  CHECK(contains(load(whole_run(), {"data.train.files=\"\""}).error, "a path may not be empty"));
}

TEST_CASE("composition: shuffle: true is the order of defaults.yaml, false is none") {
  CHECK(load(whole_run(), {"data.shuffle=true"}, kDefaults).at("data.shuffle.rounds").as_int() ==
        12);
  CHECK(load(whole_run(), {}, kDefaults).at("data.shuffle.rounds").as_int() == 12);
  CHECK_FALSE(load(whole_run(), {"data.shuffle=false"}, kDefaults).at("data.shuffle").as_bool());
  CHECK(load(whole_run(), {"data.shuffle=keyed_permutation"}, kDefaults)
            .at("data.shuffle.rounds")
            .as_int() == 12);
  CHECK(contains(load(whole_run(), {"data.shuffle=keyed_permutatio"}).error,
                 "there is no sample_order `keyed_permutatio`; did you mean keyed_permutation?"));
}

TEST_CASE("composition: the plugins section is read before there is a catalog") {
  const RunFolder folder;
  const Variable where("MORTISE_TEST_PLUGINS", "/opt/plugins");
  LoadRequest request;
  request.file = folder.write(
      "sub/run.yaml",
      "plugins: [mine, \"${env:MORTISE_TEST_PLUGINS}/more\"]\nmodel: {use: not_judged_yet}\n");
  const PluginSection section = read_plugin_section(request);
  CHECK(section.folders ==
        std::vector<std::string>{(folder.path() / "sub/mine").string(), "/opt/plugins/more"});
  CHECK(section.files.empty());
  request.file = folder.write("run2.yaml", "plugins: {files: a.so, policy: require}\n");
  CHECK(read_plugin_section(request).files ==
        std::vector<std::string>{(folder.path() / "a.so").string()});
  CHECK(read_plugin_section(request).policy == "require");
  request.file = folder.write("run3.yaml", "plugins: {folder: x}\n");
  CHECK_THROWS_WITH_AS(read_plugin_section(request), doctest::Contains("did you mean folders?"),
                       Failure);
  request.file = folder.write("run4.yaml", "mortise: 1\n");
  CHECK(read_plugin_section(request).folders.empty());
}
