// cases.md C-01 and C-02, through whole run files.

#include <doctest/doctest.h>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
using mortise::host::Amount;

TEST_CASE("types: every form of a float gives the same learning rate (C-01)") {
  struct Row {
    const char* text;
    double value;
  };
  for (const Row& row :
       {Row{"1e-4", 0.0001}, Row{"1E-4", 0.0001}, Row{"1.e-4", 0.0001}, Row{"0.0001", 0.0001},
        Row{".5", 0.5}, Row{"+1e3", 1000.0}, Row{"5", 5.0}}) {
    CAPTURE(row.text);
    const auto loaded = load(std::string(kBasics) + kRun + kModel +
                             "optimizer: {use: adamw, learning_rate: " + row.text + "}");
    REQUIRE(loaded.error == "");
    CHECK(std::get<double>(loaded.at("optimizer.learning_rate").value) == row.value);
  }
}

TEST_CASE("types: integers are exact and in range (C-01)") {
  const auto kv_heads = [](const std::string& text) {
    return load(std::string(kBasics) + kRun + kOptimizer +
                "model: {use: llama, width: 192, layers: 4, heads: 6, kv_heads: " + text + "}");
  };
  CHECK(kv_heads("1e3").at("model.kv_heads").as_int() == 1000);
  CHECK(kv_heads("1_000").at("model.kv_heads").as_int() == 1000);
  struct Row {
    const char* text;
    const char* id;
    const char* message;
  };
  for (const Row& row :
       {Row{"2.7", "C0104", "`2.7` is not an integer; expected an integer from 1 to 65535"},
        Row{"-1", "C0105", "`-1` is out of range: at least 1"},
        Row{"70000", "C0105", "`70000` is out of range: at most 65535"},
        Row{"5000000000", "C0105", "out of range: at most 65535"},
        Row{"3e-4x", "C0104", "`3e-4x` is not an integer"},
        Row{".nan", "C0104", "`.nan` is not an integer"},
        Row{"1e400", "C0105", "`1e400` is too large"},
        Row{"0010", "C0104", "`0010` has leading zeros"},
        Row{"true", "C0104", "`true` is not an integer"},
        Row{"\"4\"", "C0108",
            "got the quoted text `4`: a quoted value is text, remove the quotes"}}) {
    CAPTURE(row.text);
    const auto loaded = kv_heads(row.text);
    CAPTURE(loaded.error);
    CHECK(loaded.id == row.id);
    CHECK(contains(loaded.error, "model.kv_heads: "));
    CHECK(contains(loaded.error, row.message));
    CHECK(count(loaded.error, "error[") == 1);
  }
}

TEST_CASE("types: text keeps the exact text of a plain scalar (C-02)") {
  for (const char* text :
       {"no", "NO", "off", "y", "1e3", "0010", "1.10", "true", "12:30:45", "0x1F"}) {
    CAPTURE(text);
    const auto loaded = load(std::string(kBasics) + kModel + kOptimizer + kRun,
                             {"data.train.language=" + std::string(text)});
    REQUIRE(loaded.error == "");
    CHECK(loaded.at("data.train.language").as_text() == text);
  }
}

TEST_CASE("types: a bool is true or false, never a word, a number or a quoted scalar (C-02)") {
  const auto tie = [](const std::string& text) { return load(whole_run(), {"model.tie=" + text}); };
  CHECK(tie("true").at("model.tie").as_bool());
  CHECK_FALSE(tie("false").at("model.tie").as_bool());
  for (const char* text :
       {"no", "\"no\"", "off", "1", "tRuE", "yes", "\"true\"", "'false'", "[]", "{}"}) {
    CAPTURE(text);
    const auto loaded = tie(text);
    CAPTURE(loaded.error);
    CHECK(count(loaded.error, "error[C01") == 1);
    CHECK(contains(loaded.error, "model.tie: "));
    CHECK(contains(loaded.error, "true or false"));
  }
}

TEST_CASE("types: `y` is a key like any other (C-02)") {
  const auto loaded = load(whole_run("y: 1\n"));
  CHECK(contains(loaded.error, "run.yaml:8:1: error[C0100]: y: unknown section"));
}

TEST_CASE("types: null, ~ and nothing restore the default") {
  for (const char* text : {"null", "~", ""}) {
    CAPTURE(text);
    const auto loaded = load(
        std::string(kBasics) + kModel + kOptimizer +
        "batch: {sequences: 32, sequence_length: 256}\nrun:\n  steps: 10\n  seed: " + text + "\n");
    REQUIRE(loaded.error == "");
    CHECK(loaded.at("run.seed").as_int() == 1337);
    CHECK(loaded.at("run.seed").origin == "default of run");
  }
}

TEST_CASE("types: counts, sizes, durations and amounts are read with their units") {
  const auto loaded =
      load(whole_run("eval: {every: 1B tokens, tokens: 2M, hold_out: 5%}\ncheckpoint: {every: 1h, "
                     "keep_every: 3 epochs}\n"
                     "log: {every: 10, sinks: [{use: mlflow, flush: 1m30s}]}\n"),
           {"run.stop_after=23h30m", "data.train.cache_bytes=16 MiB", "data.train.limit=20B"});
  REQUIRE(loaded.error == "");
  CHECK(loaded.at("eval.every").as_amount() == Amount{1e9, Amount::Unit::tokens});
  CHECK(loaded.at("eval.tokens").as_int() == 2'000'000);
  CHECK(loaded.at("eval.hold_out").as_amount() == Amount{5, Amount::Unit::percent});
  CHECK(loaded.at("checkpoint.every").as_amount() == Amount{3600, Amount::Unit::seconds});
  CHECK(loaded.at("checkpoint.keep_every").as_amount() == Amount{3, Amount::Unit::epochs});
  CHECK(loaded.at("log.every").as_amount() == Amount{10, Amount::Unit::steps});
  CHECK(loaded.at("log.sinks.mlflow.flush").as_double() == 90);
  CHECK(loaded.at("run.stop_after").as_double() == 84'600);
  CHECK(loaded.at("run.timeout").as_double() == 300);
  CHECK(loaded.at("data.train.cache_bytes").as_int() == 16 << 20);
  CHECK(loaded.at("data.train.limit").as_int() == 20'000'000'000);
}

TEST_CASE("types: settings carry place, path and origin") {
  const auto loaded = load(whole_run());
  REQUIRE(loaded.error == "");
  const auto& width = loaded.at("model.width");
  CHECK(width.where.line == 6);
  CHECK(width.where.column == 28);
  CHECK(width.where.length == 3);
  CHECK(width.path == "model.width");
  CHECK(without(width.origin, width.where.file) == ":6:28");
  CHECK(loaded.at("model.dropout").origin == "default of llama");
  CHECK(loaded.at("data.seed").origin == "linked to run.seed");
}
