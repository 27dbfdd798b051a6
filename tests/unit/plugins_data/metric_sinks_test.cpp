// Metric sinks as users get them.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <limits>
#include <mortise/run/metric_sink.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::LogLevel;
using mortise::MetricSink;
using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// What `f` writes to the file `descriptor`.
template <class F>
std::string written(int descriptor, F f) {
  const ScratchFolder folder;
  std::fflush(nullptr);
  const int kept = ::dup(descriptor);
  const int file = ::open(folder.write("out", "").c_str(), O_WRONLY | O_APPEND);
  ::dup2(file, descriptor);
  f();
  ::dup2(kept, descriptor);
  ::close(file);
  ::close(kept);
  return folder.read("out");
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

mortise::RunInfo run_of(const ScratchFolder& folder, std::int64_t first_step = 0) {
  return {.name = "r", .folder = folder.path(), .first_step = first_step, .total_steps = 20};
}

}  // namespace

TEST_CASE("console: elsewhere than on a terminal there are plain lines") {
  const LoadedComponent component("console", "console");
  auto sink = component.as<MetricSink>();
  const std::string out = written(STDOUT_FILENO, [&] {
    sink.begin({.name = "r", .total_steps = 20, .report = {"1.2M parameters", "20 steps"}});
    sink.write({0, {{"eval/held_out/loss", 5.5}}});
    sink.write({1, {{"train/loss", 5}}, false});
    sink.message(LogLevel::info, "saved step 1");
    sink.write({2, {{"train/loss", kNan}}});
    sink.flush();
  });
  CHECK(lines(out).size() == 5);
  CHECK(contains(out,
                 "1.2M parameters\n20 steps\neval held_out  step 0  loss 5.5000\nsaved step 1\n"));
  CHECK(contains(out, "step 2/20  loss nan"));
  CHECK_FALSE(contains(out, "\x1b"));
}

TEST_CASE("console: warnings and errors go to standard error") {
  const LoadedComponent component("console", "console");
  auto sink = component.as<MetricSink>();
  CHECK(written(STDERR_FILENO, [&] { sink.message(LogLevel::warning, "careful"); }) ==
        "warning: careful\n");
  CHECK(written(STDERR_FILENO, [&] { sink.message(LogLevel::error, "bad"); }) == "error: bad\n");
}

TEST_CASE("console: on a terminal one line is redrawn, other lines stand above it") {
  const LoadedComponent component("console", "console");
  auto sink = component.as<MetricSink>();
  const std::string out = written(STDOUT_FILENO, [&] {
    sink.begin({.name = "r", .total_steps = 2000, .terminal = true});
    for (std::int64_t step = 1; step <= 1000; ++step)
      sink.write({step, {{"train/loss", 5}}, step % 10 == 0});
    sink.message(LogLevel::info, "saved");
    sink.write({1000, {{"eval/held_out/loss", 5.5}}});
    sink.flush();
  });
  CHECK(lines(out).size() == 3);  // saved, eval, and the progress line as it ended
  CHECK(contains(out, "\r\x1b[2Ksaved\nr  ["));
  CHECK(contains(out, "\r\x1b[2Keval held_out  step 1000  loss 5.5000\nr  ["));
  CHECK(contains(lines(out).back(), "1000/2000"));
  CHECK(out.size() < 4000);  // not redrawn a thousand times
}

TEST_CASE("jsonl: every line is strict JSON, whatever the numbers and names (L-01)") {
  const ScratchFolder folder;
  const LoadedComponent component("jsonl", "jsonl");
  auto sink = component.as<MetricSink>();
  sink.begin(run_of(folder));
  CHECK(folder.read("metrics.jsonl").empty());
  sink.write(
      {1, {{"train/loss", 2.5}, {"train/grad_norm", kInf}, {"a\"b\n\xff", -kInf}, {"x", kNan}}});
  CHECK(lines(folder.read("metrics.jsonl")).size() == 1);  // on disk when write returns
  sink.write({2, {{"train/loss", 1}}, false});
  sink.write({3, {{"train/loss", 0.1}, {"step", 7}, {"train/loss", 0.2}}});
  const auto all = lines(folder.read("metrics.jsonl"));
  REQUIRE(all.size() == 2);
  const Json first = Json::parse(all[0]), second = Json::parse(all[1]);
  CHECK(first["step"] == 1);
  CHECK(first["time"].get<double>() > 1.6e9);
  CHECK(first["train/loss"] == 2.5);
  CHECK(first["train/grad_norm"].is_null());
  CHECK(first["non_finite"] ==
        Json({{"train/grad_norm", "inf"}, {"a\"b\n\xEF\xBF\xBD", "-inf"}, {"x", "nan"}}));
  CHECK(second["step"] == 3);
  CHECK(second["train/loss"] == 0.2);
  CHECK(second["metric/step"] == 7);
  CHECK_FALSE(second.contains("non_finite"));
}

TEST_CASE("jsonl: a run that goes on says where, after whatever was torn (L-03)") {
  const ScratchFolder folder;
  const auto write = [&](std::int64_t first_step, std::int64_t step) {
    const LoadedComponent component("jsonl", "jsonl", {{"file", "m.jsonl"}});
    auto sink = component.as<MetricSink>();
    sink.begin(run_of(folder, first_step));
    sink.write({step, {}});
  };
  write(0, 13);
  folder.write("m.jsonl", folder.read("m.jsonl") + "{\"step\":14,\"ti");  // the machine went down
  write(10, 11);
  write(0, 1);  // begins anew, without a checkpoint
  std::vector<std::string> keys;
  for (const std::string& line : lines(folder.read("m.jsonl"))) {
    const Json json = Json::parse(line);
    keys.push_back(json.contains("step") ? "step " + json["step"].dump()
                                         : "resumed " + json["resumed_at"].dump());
  }
  CHECK(keys ==
        std::vector<std::string>{"step 13", "resumed 10", "step 11", "resumed 0", "step 1"});
}

TEST_CASE("jsonl: a folder that is not there is an error with the file") {
  const LoadedComponent component("jsonl", "jsonl");
  auto sink = component.as<MetricSink>();
  CHECK(contains(message_of<mortise::Error>([&] { sink.begin({.folder = "/no/such"}); }),
                 "/no/such/metrics.jsonl cannot be written"));
}
