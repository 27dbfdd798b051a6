// Metric sinks and a command of our own, and the host's services, held to their contracts.

#include <doctest/doctest.h>

#include <mortise/data/tokenizer.hpp>

#include "host/cli/metrics_service.hpp"
#include "sdk/conformance/run/command_contract.hpp"
#include "sdk/conformance/run/metric_sink_contract.hpp"
#include "sdk/conformance/run/services_contract.hpp"
#include "tests/contract/captured_output.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/no_failures.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

void check_sink(const char* name, bool terminal) {
  const ScratchFolder folder;
  RunInfo run;
  run.name = "contract";
  run.folder = folder.path();
  run.total_steps = 15;
  run.tokens_per_step = 1000;
  run.terminal = terminal;
  run.report = {"a line", ""};
  const LoadedComponent component(name, name, {}, {.run_folder = folder.path()});
  Report report;
  {
    const CapturedOutput captured(folder.path("output"));
    check_both_ways<MetricSink>(component, report, [&](MetricSink& sink) {
      conformance::check_metric_sink_contract(sink, run, report);
    });
  }
  check_no_failures(report);
}

}  // namespace

TEST_CASE("console, jsonl, tensorboard: keep the contract of a metric sink") {
  for (const char* name : {"console", "jsonl", "tensorboard"})
    for (const bool terminal : {false, true}) {
      CAPTURE(name);
      CAPTURE(terminal);
      check_sink(name, terminal);
    }
}

TEST_CASE("data.pack: keeps the contract of a command, with good and bad inputs") {
  const ScratchFolder folder;
  const std::string text = folder.write("a.txt", "some text");
  const LoadedComponent byte("byte_tokenizer", "byte");
  int made = 0;
  for (const std::string& input : {text, folder.path("absent.txt")}) {
    const auto make = [&] {
      return std::make_unique<LoadedComponent>(
          "data_tools", "data.pack",
          SettingList{{"inputs", std::vector<std::string>{input}},
                      {"tokenizer", byte.object<Tokenizer>()},
                      {"out", folder.path(std::to_string(made++) + ".pbin")}});
    };
    Report report;
    {
      const CapturedOutput captured(folder.path("output"));
      check_fresh_both_ways<Command>(report, make, [&](Command& command) {
        conformance::check_command_contract(command, report);
      });
    }
    check_no_failures(report);
  }
  CHECK(std::filesystem::exists(folder.path("0.pbin")));
}

TEST_CASE("data.index: keeps the contract of a command, with good and bad inputs") {
  const ScratchFolder folder;
  int made = 0;
  for (const std::string& input : {folder.write("a.jsonl", "{}\n"), folder.path("absent.jsonl")}) {
    const auto make = [&] {
      return std::make_unique<LoadedComponent>(
          "data_tools", "data.index",
          SettingList{{"input", input}, {"out", folder.path(std::to_string(made++) + ".idx")}});
    };
    Report report;
    {
      const CapturedOutput captured(folder.path("output"));
      check_fresh_both_ways<Command>(report, make, [&](Command& command) {
        conformance::check_command_contract(command, report);
      });
    }
    check_no_failures(report);
  }
  CHECK(std::filesystem::exists(folder.path("0.idx")));
}

TEST_CASE("data.encode, data.decode: keep the contract of a command, with good and bad inputs") {
  const ScratchFolder folder;
  const LoadedComponent byte("byte_tokenizer", "byte");
  const std::string ids = folder.write("ids", "97 98"), none = folder.path("none");
  for (const char* key : {"data.encode", "data.decode"})
    for (const std::string& file : {ids, none}) {
      CAPTURE(key);
      const auto make = [&] {
        return std::make_unique<LoadedComponent>(
            "data_tools", key,
            SettingList{{"file", file}, {"tokenizer", byte.object<Tokenizer>()}});
      };
      Report report;
      {
        const CapturedOutput captured(folder.path("output"));
        check_fresh_both_ways<Command>(report, make, [&](Command& command) {
          conformance::check_command_contract(command, report);
        });
      }
      check_no_failures(report);
    }
}

TEST_CASE("commands on token files: keep the contract of a command, with good and bad inputs") {
  const ScratchFolder folder;
  const std::string good = MORTISE_SOURCE_DIR "/tests/golden/token_files/modalities_2.pbin";
  const std::string bad = folder.write("bad.pbin", "no token file");
  int made = 0;
  for (const char* key : {"data.chunk", "data.convert", "data.filter", "data.inspect", "data.merge",
                          "data.shuffle", "data.verify"})
    for (const std::string& input : {good, bad}) {
      CAPTURE(key);
      const std::string name = key;
      const auto make = [&] {
        SettingList settings;
        if (name == "data.convert")
          settings.emplace_back("input", input);
        else
          settings.emplace_back("inputs", std::vector<std::string>{input});
        if (name != "data.inspect" && name != "data.verify")
          settings.emplace_back("out", folder.path(std::to_string(made++) + ".pbin"));
        if (name == "data.chunk") settings.emplace_back("parts", 2);
        if (name == "data.filter") settings.emplace_back("unique", true);
        return std::make_unique<LoadedComponent>("token_tools", name, std::move(settings));
      };
      Report report;
      {
        const CapturedOutput captured(folder.path("output"));
        check_fresh_both_ways<Command>(report, make, [&](Command& command) {
          conformance::check_command_contract(command, report);
        });
      }
      check_no_failures(report);
    }
}

TEST_CASE("host: its logger and metrics keep the contracts of services") {
  const ScratchFolder folder;
  Report report;
  {
    host::RunLog log(0, 1);
    log.open_file(folder.path("log"));
    log.show_through([](host::LogSeverity, const std::string&) {});
    host::LogService service(log);
    conformance::both_ways<Logger>(service, report, [&](Logger& logger) {
      conformance::check_logger_contract(logger, report);
    });
  }
  host::MetricsService metrics;
  conformance::both_ways<Metrics>(
      metrics, report, [&](Metrics& m) { conformance::check_metrics_contract(m, report); });
  check_no_failures(report);
  CHECK(metrics.take().count("thread/3") == 1);
}
