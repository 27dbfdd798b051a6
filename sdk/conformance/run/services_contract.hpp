#pragma once

// What the host's Logger and Metrics owe a component: any thread may say anything at any time.

#include <limits>
#include <mortise/run/logger.hpp>
#include <mortise/run/metrics.hpp>

#include "../at_once.hpp"
#include "../both_ways.hpp"

namespace mortise::conformance {

inline void check_logger_contract(Logger& logger, Report& report) {
  report.section("log", [&] {
    for (const LogLevel level :
         {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error})
      for (const char* text :
           {"", "a line", "two\nlines", "{} %s %n {0}", "\u00fc \U0001F600 \xff"})
        logger.log(level, text);
    logger.log(LogLevel::info, std::string(1 << 16, 'x'));
  });
  report.section("log in several threads", [&] {
    run_at_once(4, [&](int thread) {
      for (int i = 0; i != 50; ++i)
        logger.info("line " + std::to_string(i) + " of " + std::to_string(thread));
    });
  });
}

inline void check_metrics_contract(Metrics& metrics, Report& report) {
  report.section("record", [&] {
    for (const double value : {0.0, -1.5, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
      metrics.record("some/name", value);
  });
  report.section("record in several threads", [&] {
    run_at_once(4, [&](int thread) {
      for (int i = 0; i != 50; ++i) metrics.record("thread/" + std::to_string(thread), i);
    });
  });
}

}  // namespace mortise::conformance
