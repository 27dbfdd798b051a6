#include "host/logging/run_log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "host/failure.hpp"

namespace mortise::host {

struct RunLog::Sinks {
  std::int64_t rank = 0, ranks = 1;
  std::shared_ptr<spdlog::logger> file;
  std::atomic<bool> file_failed{false};
  Show show;
  std::mutex mutex;
};

RunLog::RunLog(std::int64_t rank, std::int64_t ranks) : sinks_(std::make_unique<Sinks>()) {
  sinks_->rank = rank;
  sinks_->ranks = ranks;
}
RunLog::~RunLog() = default;

void RunLog::open_file(const std::string& path) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    sinks_->file = std::make_shared<spdlog::logger>("run", std::move(sink));
    sinks_->file->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l rank " + std::to_string(sinks_->rank) +
                              " %v");
    sinks_->file->set_level(spdlog::level::debug);
    sinks_->file->flush_on(spdlog::level::debug);
    sinks_->file->set_error_handler([this, path](const std::string& what) {
      if (sinks_->file_failed.exchange(true)) return;
      show(LogSeverity::warning,
           path + " cannot be written: " + what + ": the run goes on without it");
    });
  } catch (const spdlog::spdlog_ex& e) {
    throw Failure("K0103", Exit::storage,
                  "error[K0103]: " + path + ": the log cannot be written: " + e.what());
  }
}

void RunLog::show_through(Show show) {
  const std::lock_guard lock(sinks_->mutex);
  sinks_->show = std::move(show);
}

void RunLog::keep(LogSeverity severity, const std::string& text) {
  constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info,
                                                  spdlog::level::warn, spdlog::level::err};
  if (sinks_->file && !sinks_->file_failed) sinks_->file->log(levels[int(severity)], text);
}

void RunLog::write(LogSeverity severity, const std::string& text) {
  keep(severity, text);
  show(severity, text);
}

void RunLog::show(LogSeverity severity, const std::string& text) {
  const bool of_every_rank = severity >= LogSeverity::warning;
  if (severity == LogSeverity::debug || (sinks_->rank != 0 && !of_every_rank)) return;
  const std::string line = of_every_rank && sinks_->ranks > 1
                               ? "rank " + std::to_string(sinks_->rank) + ": " + text
                               : text;
  Show shown;
  {
    const std::lock_guard lock(sinks_->mutex);
    shown = sinks_->show;
  }
  if (shown) return shown(severity, line);  // outside the lock: it may write to this log itself
  const std::string whole = line + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace mortise::host
