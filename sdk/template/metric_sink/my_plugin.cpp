// Metric sink: a table step,name,value in the run's folder.

#include <filesystem>
#include <fstream>
#include <mortise/plugin.hpp>
#include <mortise/run/metric_sink.hpp>

namespace {

using mortise::field;

class MyPlugin final : public mortise::MetricSink {
 public:
  struct Config {
    std::string_view file = "my_plugin.csv";

    static constexpr auto settings() {
      return mortise::fields(
          field("file", &Config::file).doc("name of the file in the run's folder"));
    }
  };

  explicit MyPlugin(const Config& config) : name_(config.file) {}

  void begin(const mortise::RunInfo& run) override {
    path_ = std::filesystem::path(run.folder) / name_;
    const bool is_new = !std::filesystem::exists(path_);
    out_ = std::ofstream(path_, std::ios::app);
    if (is_new) out_ << "step,name,value\n";
    flush();
  }

  // A line is written out at once: it must survive the loss of the process.
  void write(const mortise::StepRecord& record) override {
    if (!record.shown) return;
    for (const mortise::Metric& metric : record.values)
      out_ << record.step << ',' << quoted(metric.name) << ',' << metric.value << '\n';
    flush();
  }

  void message(mortise::LogLevel, std::string_view) override {}

  void flush() override {
    if (!out_.flush())
      throw mortise::Error(mortise::ErrorCode::storage, path_.string() + " cannot be written");
  }

 private:
  static std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
  }

  std::string name_;
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::MetricSink>("my_plugin",
                                                                 "a table of all metrics"));
