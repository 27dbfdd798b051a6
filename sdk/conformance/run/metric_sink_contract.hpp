#pragma once

// What every MetricSink owes its caller: it takes whatever a run says, and never fails for it.

#include <limits>
#include <mortise/run/metric_sink.hpp>
#include <thread>

#include "../both_ways.hpp"

namespace mortise::conformance {
namespace metric_sink {

inline StepRecord record(std::int64_t step, bool shown) {
  StepRecord r;
  r.step = step;
  r.shown = shown;
  r.values = {{"train/loss", 3.25}, {"train/learning_rate", 1e-4}, {"train/grad_norm", 0.5}};
  return r;
}

inline std::vector<StepRecord> odd_records(std::int64_t step) {
  StepRecord empty, odd = record(step, true), evaluation;
  empty.step = evaluation.step = step;
  odd.values.push_back({"train/nan", std::numeric_limits<double>::quiet_NaN()});
  odd.values.push_back({"train/inf", std::numeric_limits<double>::infinity()});
  odd.values.push_back({"train/-inf", -std::numeric_limits<double>::infinity()});
  odd.values.push_back({"train/tiny", std::numeric_limits<double>::denorm_min()});
  odd.values.push_back({"name \"quoted\" \\ \n \u00fc \U0001F600", 1});
  evaluation.values = {{"eval/loss", 3.0}};
  return {empty, odd, evaluation};
}

inline void check_run(MetricSink& sink, const RunInfo& run) {
  sink.begin(run);
  for (std::int64_t step = run.first_step + 1; step <= run.first_step + 5; ++step)
    sink.write(record(step, step % 2 == 1));
  for (const StepRecord& r : odd_records(run.first_step + 5)) sink.write(r);
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error})
    for (const char* text : {"", "a line", "\u00fc \U0001F600 \xff"}) sink.message(level, text);
  sink.flush();
}

}  // namespace metric_sink

// `run`: what the sink is begun with; its folder must be there.
inline void check_metric_sink_contract(MetricSink& sink, RunInfo run, Report& report) {
  report.section("a run", [&] { metric_sink::check_run(sink, run); });
  report.section("flush twice", [&] { sink.flush(); });
  run.first_step += 5;
  report.section("a run that goes on", [&] { metric_sink::check_run(sink, run); });
  run.first_step += 5;
  report.section("another thread", [&] {
    std::exception_ptr failed;
    std::thread([&] {
      try {
        metric_sink::check_run(sink, run);
      } catch (...) {
        failed = std::current_exception();
      }
    }).join();
    if (failed) std::rethrow_exception(failed);
  });
}

}  // namespace mortise::conformance
