// Metric sink that writes the event files of TensorBoard into the run's folder, so that
// `tensorboard --logdir runs` shows each run under its name. Each process of a run writes a file of
// its own.

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mortise/plugin.hpp>
#include <mortise/run/metric_sink.hpp>

#include "../append_file.hpp"
#include "event_record.hpp"

namespace {

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// As TensorFlow names them; TensorBoard reads the files of a folder in the order of their names.
std::string file_name() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return "events.out.tfevents." + std::to_string(milliseconds) + "." + host + "." +
         std::to_string(::getpid());
}

class Tensorboard final : public mortise::MetricSink {
 public:
  void begin(const mortise::RunInfo& run) override {
    file_.open((std::filesystem::path(run.folder) / file_name()).string());
    file_.write(mortise::tensorboard::version_record(unix_seconds()));
    if (run.first_step > 0)
      file_.write(mortise::tensorboard::restart_record(run.first_step, unix_seconds()));
  }

  void write(const mortise::StepRecord& record) override {
    if (record.shown) file_.write(mortise::tensorboard::scalars_record(record, unix_seconds()));
  }

  void message(mortise::LogLevel, std::string_view) override {}
  void flush() override {}  // nothing waits

 private:
  mortise::AppendFile file_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.tensorboard", MORTISE_VERSION,
               mortise::component<Tensorboard, mortise::MetricSink>(
                   "tensorboard", "event files of TensorBoard in the run's folder"));
