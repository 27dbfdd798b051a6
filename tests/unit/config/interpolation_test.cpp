#include "host/config/composition/interpolation.hpp"

#include <doctest/doctest.h>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
using namespace mortise::host;

namespace {

Loaded with_token(const std::string& yaml_scalar) {
  return load(whole_run("log: {sinks: [{use: mlflow}]}\n"),
              {"log.sinks.mlflow.token=" + yaml_scalar});
}

}  // namespace

TEST_CASE("interpolation: a path stands for its setting, in text and alone with its type") {
  const auto loaded =
      load(whole_run("checkpoint: {keep: \"${model.layers}\"}\nlog:\n  sinks:\n  - use: mlflow\n   "
                     " token: a-${run.steps}-${model.use}\n    port: ${checkpoint.keep}\n"));
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("checkpoint.keep").as_int() == 4);
  CHECK(loaded.at("log.sinks.mlflow.token").as_text() == "a-300-llama");
  CHECK(loaded.at("log.sinks.mlflow.port").as_int() == 4);
  CHECK(contains(loaded.at("checkpoint.keep").origin, "run.yaml:8:20"));
}

TEST_CASE("interpolation: a whole list, mapping or component can be meant") {
  const auto loaded = load(whole_run("eval: {sets: {same: \"${data.train}\"}}\n"),
                           {"optimizer.no_decay=[norm]", "recompute=${optimizer.no_decay}"});
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("eval.sets.same").as_component().use == "text");
  CHECK(loaded.at("recompute.0").as_text() == "norm");
}

TEST_CASE("interpolation: defaults of schemas and linked defaults can be meant too") {
  const auto loaded = load(whole_run(
      "log:\n  sinks: [{use: mlflow, token: "
      "\"${run.name}-${run.seed}-${data.seed}-${model.dropout}-${optimizer.epsilon}\"}]\n"));
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("log.sinks.mlflow.token").as_text() == "run-1337-1337-0.0-1e-08");
}

TEST_CASE("interpolation: environment variables, set, empty and unset (C-07)") {
  const std::string file = std::string("mortise: 1\n") + kRun + kModel + kOptimizer +
                           "data: {train: {use: text, files: \"${env:MORTISE_TEST_DIR}/a.bin\"}}\n";
  {
    const Variable set("MORTISE_TEST_DIR", "/corpus");
    CHECK(load(file).at("data.train.files.0").as_text() == "/corpus/a.bin");
  }
  {
    const Variable empty("MORTISE_TEST_DIR", "");
    CHECK(load(file).at("data.train.files.0").as_text() ==
          "/a.bin");  // as documented: set, and empty
  }
  const Variable unset("MORTISE_TEST_DIR", nullptr);
  const auto loaded = load(file);
  CHECK(loaded.id == "C0033");
  CHECK(contains(loaded.error,
                 "run.yaml:6:34: error[C0033]: data.train.files: environment variable "
                 "MORTISE_TEST_DIR is not set"));
  CHECK_FALSE(std::filesystem::exists("${env:MORTISE_TEST_DIR}"));
}

TEST_CASE("interpolation: a default counts for unset and for empty, as in the shell") {
  const Variable set("MORTISE_TEST_A", "a"), empty("MORTISE_TEST_B", ""),
      unset("MORTISE_TEST_C", nullptr);
  struct Row {
    const char* text;
    const char* value;
  };
  for (const Row& row : {Row{"${env:MORTISE_TEST_A:-z}", "a"}, Row{"${env:MORTISE_TEST_B:-z}", "z"},
                         Row{"${env:MORTISE_TEST_C:-z}", "z"}, Row{"${env:MORTISE_TEST_B}", ""},
                         Row{"x${env:MORTISE_TEST_B}y", "xy"}, Row{"${env:MORTISE_TEST_C:-}", ""},
                         Row{"${env:MORTISE_TEST_C:-a:-b}", "a:-b"}, Row{"$${x}", "${x}"},
                         Row{"$x $", "$x $"}, Row{"a$${b}${env:MORTISE_TEST_A}", "a${b}a"}}) {
    CAPTURE(row.text);
    const auto loaded = with_token("\"" + std::string(row.text) + "\"");
    REQUIRE(loaded.error == "");
    CHECK(loaded.at("log.sinks.mlflow.token").as_text() == row.value);
  }
}

TEST_CASE("interpolation: a variable alone takes the type of its place, quoted or not") {
  const Variable steps("MORTISE_TEST_STEPS", "1_000");
  for (const char* text : {"${env:MORTISE_TEST_STEPS}", "\"${env:MORTISE_TEST_STEPS}\""}) {
    CHECK(load(whole_run(), {"run.steps=" + std::string(text)}).at("run.steps").as_int() == 1000);
  }
  const Variable bad("MORTISE_TEST_STEPS", "many");
  CHECK(contains(load(whole_run(), {"run.steps=${env:MORTISE_TEST_STEPS}"}).error,
                 "run.steps: `many` is not a count"));
  CHECK(contains(load(whole_run(), {"run.seed='1${env:MORTISE_TEST_STEPS}'"}).error,
                 "run.seed: expected an integer"));
}

TEST_CASE("interpolation: what cannot be replaced is named with variable and key path") {
  const Variable set("MORTISE_TEST_A", "a");
  struct Row {
    const char* text;
    const char* id;
    const char* message;
  };
  for (const Row& row :
       {Row{"${MORTISE_TEST_A}/x", "C0032", "did you mean ${env:MORTISE_TEST_A}?"},
        Row{"${MORTISE_TEST_NONE}", "C0032",
            "the environment variable (which is not set) is written ${env:MORTISE_TEST_NONE}"},
        Row{"${model.widht}", "C0032",
            "${model.widht} is dangling: there is no such setting; did you mean ${model.width}?"},
        Row{"${}", "C0031", "malformed"}, Row{"${file:x}", "C0031", "malformed"},
        Row{"${a b}", "C0031", "malformed"},
        Row{"${env:1x}", "C0031", "no name of an environment variable"},
        Row{"${env:}", "C0031", "no name"},
        Row{"x${model}", "C0031", "${model} is no single value"},
        Row{"${run.steps", "C0031", "`${` is never closed"},
        Row{"${a${b}}", "C0031", "interpolations do not nest"},
        Row{"${secret:MORTISE_TEST_NONE}", "C0033", "secret MORTISE_TEST_NONE is not set"},
        Row{"${log.sinks.mlflow.token}", "C0034", "cycle: "}, Row{"${log}", "C0034", "cycle: "}}) {
    CAPTURE(row.text);
    const auto loaded = with_token("\"" + std::string(row.text) + "\"");
    CAPTURE(loaded.error);
    CHECK(loaded.id == row.id);
    CHECK(contains(loaded.error, "log.sinks.mlflow.token: "));
    CHECK(contains(loaded.error, row.message));
    CHECK(count(loaded.error, "error[") == 1);
  }
}

TEST_CASE("interpolation: settings that need each other are a cycle") {
  const auto loaded =
      load(whole_run("checkpoint: {keep: \"${run.seed}\"}\n"), {"run.seed=${checkpoint.keep}"});
  CHECK(contains(loaded.error, "error[C0034]"));
  CHECK(contains(loaded.error, "cycle: "));
}

TEST_CASE("interpolation: a key takes none (C-07)") {
  const Variable set("MORTISE_TEST_A", "a");
  const auto loaded =
      load(whole_run("\"${env:MORTISE_TEST_A}\": 1\neval: {sets: {'x${run.name}': byte}}\n"));
  CHECK(count(loaded.error, "error[C0030]") == 2);
  CHECK(count(loaded.error, "error[") == 2);
  CHECK(
      contains(loaded.error,
               "run.yaml:8:1: error[C0030]: ${env:MORTISE_TEST_A}: a key takes no interpolation"));
}

TEST_CASE("interpolation: bombs end at the documented budget") {
  std::string doubling = "layer_ops: []\neval: {sets: {}}\nx0: " + std::string(1000, 'x') + "\n";
  for (int i = 1; i < 40; ++i) {
    const std::string inner = "${x" + std::to_string(i - 1) + "}";
    doubling += "x" + std::to_string(i) + ": a" + inner + inner + "\n";
  }
  CHECK(contains(load(whole_run(doubling)).error, "expands to more than 4 MiB"));
  std::string lists = "y0: [1,2,3,4,5,6,7,8,9,10]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string inner = "\"${y" + std::to_string(i - 1) + "}\"";
    lists += "y" + std::to_string(i) + ": [" + inner + "," + inner + "," + inner + "," + inner +
             "," + inner + "]\n";
  }
  CHECK(contains(load(whole_run(lists)).error, "expand to more than 100,000 values"));
}

TEST_CASE("interpolation: secrets are used and never written") {
  const Variable token("MORTISE_TEST_TOKEN", "hunter2"), port("MORTISE_TEST_PORT", "8080");
  const auto loaded =
      load(whole_run("log:\n  sinks:\n  - use: mlflow\n    token: ${secret:MORTISE_TEST_TOKEN}\n   "
                     " port: ${secret:MORTISE_TEST_PORT}\n"
                     "    address: http://${log.sinks.mlflow.token}@$${x}/\n"));
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("log.sinks.mlflow.token").as_text() == "hunter2");
  CHECK(loaded.at("log.sinks.mlflow.port").as_int() == 8080);
  CHECK(loaded.at("log.sinks.mlflow.address").as_text() == "http://hunter2@${x}/");
  CHECK_FALSE(contains(loaded.run.resolved_yaml, "hunter2"));
  CHECK_FALSE(contains(loaded.run.resolved_yaml, "8080"));
  CHECK(contains(loaded.run.resolved_yaml, "http://${secret:MORTISE_TEST_TOKEN}@$${x}/"));
  const auto reloaded = load(loaded.run.resolved_yaml);
  REQUIRE(reloaded.error == "");
  CHECK(same_value(reloaded.run.root, loaded.run.root));
  const Variable wrong("MORTISE_TEST_PORT", "hunter3");
  const auto refused = load(whole_run(), {"run.seed=${secret:MORTISE_TEST_PORT}"});
  CHECK(contains(refused.error, "`${secret:MORTISE_TEST_PORT}` is not an integer"));
  CHECK_FALSE(contains(refused.error, "hunter3"));
}
