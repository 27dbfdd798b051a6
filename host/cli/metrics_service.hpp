#pragma once

#include <map>
#include <mortise/run/logger.hpp>
#include <mortise/run/metrics.hpp>
#include <mutex>
#include <string>

#include "host/logging/run_log.hpp"

namespace mortise::host {

// The log as components see it.
class LogService final : public Logger {
 public:
  explicit LogService(RunLog& log) : log_(log) {}
  void log(LogLevel level, std::string_view text) override {
    log_.write(LogSeverity(int(level)), std::string(text));
  }

 private:
  RunLog& log_;
};

// Keeps the numbers that components record until the next record of a step takes them.
class MetricsService final : public Metrics {
 public:
  void record(std::string_view name, double value) override {
    const std::lock_guard lock(mutex_);
    values_[std::string(name)] = value;
  }
  std::map<std::string, double> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(values_, {});
  }

 private:
  std::mutex mutex_;
  std::map<std::string, double> values_;
};

}  // namespace mortise::host
