#pragma once

#include <mortise/c/metric_sink.h>

#include <cstdint>
#include <mortise/run/logger.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// One named number, such as `train/loss`; it may be infinite or not a number.
struct Metric {
  std::string name{};
  double value = 0;
};

/// What a sink is told when a run begins or goes on.
struct RunInfo {
  std::string name{}, folder{};
  /// Updates that are already done: 0, or the step of the checkpoint that the run goes on from.
  std::int64_t first_step = 0;
  std::int64_t total_steps = 0, tokens_per_step = 0;
  /// Whether standard output is a terminal that can redraw a line.
  bool terminal = false;
  /// The start-up report, one line each.
  std::vector<std::string> report{};
};

/// The numbers of one step; step n means: n updates are done. `shown` is false for a record that
/// stands between the intervals of log.every and only drives a progress bar.
struct StepRecord {
  std::int64_t step = 0;
  std::vector<Metric> values{};
  bool shown = true;
};

/// Takes the metrics of a run: a console, a file, an event store.
///
/// Errors:  a sink that throws is reported once and dropped; training goes on, unless the run file
///          says `required: true`.
/// Threads: one caller at a time; not always the same thread.
/// Ranks:   made and called on the first rank only.
class MetricSink : public Interface {
 public:
  virtual void begin(const RunInfo& run) = 0;
  /// Records come in the order of their steps; one step may come in several records (its
  /// evaluation). What was written must survive the loss of the process.
  virtual void write(const StepRecord& record) = 0;
  /// A line of the run's log that a user should see; a sink that owns the terminal prints it.
  virtual void message(LogLevel level, std::string_view text) = 0;
  /// The run ends, well or not: everything goes out now.
  virtual void flush() = 0;
};

namespace kit {
template <>
struct members<Metric> {
  MORTISE_MEMBERS(Metric, mt_metric);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(value)};
};
template <>
struct members<RunInfo> {
  MORTISE_MEMBERS(RunInfo, mt_run_info);
  static constexpr auto map = std::tuple{
      MORTISE_MEMBER(name),        MORTISE_MEMBER(folder),          MORTISE_MEMBER(first_step),
      MORTISE_MEMBER(total_steps), MORTISE_MEMBER(tokens_per_step), MORTISE_MEMBER(terminal),
      MORTISE_MEMBER(report)};
};
template <>
struct members<StepRecord> {
  MORTISE_MEMBERS(StepRecord, mt_step_record);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(step), MORTISE_MEMBER(values), MORTISE_MEMBER(shown)};
};
}  // namespace kit

template <>
class Remote<MetricSink> final : public kit::RemoteBase<MetricSink, mt_metric_sink_v1> {
 public:
  static constexpr const char* id = "mortise/metric_sink/1";
  using Methods = kit::Methods<&MetricSink::begin, &MetricSink::write, &MetricSink::message,
                               &MetricSink::flush>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void begin(const RunInfo& run) override { call(&Table::begin, &MetricSink::begin, run); }
  void write(const StepRecord& record) override { call(&Table::write, &MetricSink::write, record); }
  void message(LogLevel level, std::string_view text) override {
    call(&Table::message, &MetricSink::message, level, text);
  }
  void flush() override { call(&Table::flush, &MetricSink::flush); }
};

}  // namespace mortise
