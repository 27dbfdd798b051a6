#include "host/training/metric_log.hpp"

#include "host/wiring/failure_of_error.hpp"

namespace mortise::host {

template <class F>
void MetricLog::each(F f) {
  for (std::size_t i = 0; i != sinks_.size();) {
    try {
      f(*sinks_[i].sink);
      ++i;
    } catch (const Error& e) {
      if (sinks_[i].required) throw failure_of(e, "metric sink " + sinks_[i].name);
      const std::string text =
          "metric sink " + sinks_[i].name + " failed and is dropped: " + e.what();
      sinks_.erase(sinks_.begin() + std::ptrdiff_t(i));
      log_.show_through({});  // it may be the one that showed lines
      log_.warning(text);
    }
  }
}

void MetricLog::begin(const RunInfo& info) {
  each([&](MetricSink& s) { s.begin(info); });
}
void MetricLog::write(const StepRecord& record) {
  each([&](MetricSink& s) { s.write(record); });
}
void MetricLog::message(LogSeverity severity, const std::string& text) {
  each([&](MetricSink& s) { s.message(LogLevel(int(severity)), text); });
}
void MetricLog::flush() {
  each([](MetricSink& s) { s.flush(); });
}

}  // namespace mortise::host
