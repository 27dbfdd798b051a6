// Metric sink that writes one JSON object a line. A line is one write, so it is there whole or not
// at all when the process ends, and a reader may follow while the run goes on.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mortise/plugin.hpp>
#include <mortise/run/metric_sink.hpp>

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
  ~Jsonl() override { close(); }
  Jsonl(const Jsonl&) = delete;
  Jsonl& operator=(const Jsonl&) = delete;

  void begin(const mortise::RunInfo& run) override {
    open((std::filesystem::path(run.folder) / name_).string());
    const bool goes_on = drop_torn_line() > 0;
    if (goes_on || run.first_step > 0) write_line(mortise::jsonl::resume_line(run.first_step));
  }

  void write(const mortise::StepRecord& record) override {
    if (!record.shown) return;
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    write_line(mortise::jsonl::record_line(record, now.count()));
  }

  void message(mortise::LogLevel, std::string_view) override {}
  void flush() override {}  // nothing waits

 private:
  [[noreturn]] void fail() const {
    throw mortise::Error(mortise::ErrorCode::storage,
                         path_ + " cannot be written: " + std::strerror(errno));
  }

  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  void open(const std::string& path) {
    close();
    path_ = path;
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
  }

  // A machine that went down may leave half a line, which would spoil the next one. Returns the
  // bytes that stay.
  off_t drop_torn_line() {
    struct stat status {};
    if (::fstat(file_, &status) != 0) fail();
    char last = 0;
    off_t end = status.st_size;
    while (end > 0 && ::pread(file_, &last, 1, end - 1) == 1 && last != '\n') --end;
    if (end != status.st_size && ::ftruncate(file_, end) != 0) fail();
    return end;
  }

  void write_line(std::string_view line) {
    while (!line.empty()) {
      const ssize_t n = ::write(file_, line.data(), line.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      line.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  std::string name_, path_;
  int file_ = -1;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.jsonl", MORTISE_VERSION,
               mortise::component<Jsonl, mortise::MetricSink>(
                   "jsonl", "one JSON object a line in the run's folder"));
