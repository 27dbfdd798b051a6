// Metric sink that writes one JSON object a line. A line is one write, so it is there whole or not
// at all when the process ends, and a reader may follow while the run goes on.

#include <chrono>
#include <filesystem>
#include <mortise/plugin.hpp>
#include <mortise/run/metric_sink.hpp>

#include "../append_file.hpp"
#include "record_line.hpp"

namespace {

using mortise::field;

class Jsonl final : public mortise::MetricSink {
 public:
  struct Config {
    std::string_view file = "metrics.jsonl";

    static constexpr auto settings() {
      return mortise::fields(
          field("file", &Config::file).doc("name of the file in the run's folder"));
    }
  };

  explicit Jsonl(const Config& config) : name_(config.file) {}

  // A machine that went down may leave half a line, which would spoil the next one.
  void begin(const mortise::RunInfo& run) override {
    file_.open((std::filesystem::path(run.folder) / name_).string());
    const bool goes_on = file_.keep_whole_lines();
    if (goes_on || run.first_step > 0) file_.write(mortise::jsonl::resume_line(run.first_step));
  }

  void write(const mortise::StepRecord& record) override {
    if (!record.shown) return;
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    file_.write(mortise::jsonl::record_line(record, now.count()));
  }

  void message(mortise::LogLevel, std::string_view) override {}
  void flush() override {}  // nothing waits

 private:
  std::string name_;
  mortise::AppendFile file_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.jsonl", MORTISE_VERSION,
               mortise::component<Jsonl, mortise::MetricSink>(
                   "jsonl", "one JSON object a line in the run's folder"));
