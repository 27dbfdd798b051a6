#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mortise/run/metric_sink.hpp>
#include <string>
#include <vector>

#include "host/logging/run_log.hpp"
#include "host/wiring/wiring.hpp"

namespace mortise::host {

// The sinks of a run. One that fails is reported once and dropped, unless the file requires it.
// Threads: one caller at a time.
class MetricLog {
 public:
  struct Sink {
    std::unique_ptr<Remote<MetricSink>> sink;
    std::string name;
    bool required = false;
  };
  MetricLog(std::vector<Sink> sinks, RunLog& log) : sinks_(std::move(sinks)), log_(log) {}

  void begin(const RunInfo& info);
  void write(const StepRecord& record);
  void message(LogSeverity severity, const std::string& text);
  void flush();

 private:
  template <class F>
  void each(F f);
  std::vector<Sink> sinks_;
  RunLog& log_;
};

}  // namespace mortise::host
