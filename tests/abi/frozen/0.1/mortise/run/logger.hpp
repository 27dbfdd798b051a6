#pragma once

#include <mortise/c/logger.h>

#include <mortise/kit/structs.hpp>
#include <string_view>

namespace [[gnu::visibility("hidden")]] mortise {

enum class LogLevel : std::int32_t { debug, info, warning, error };

/// Writes to the run's log. A service of the host.
///
/// Info lines of the first rank are shown and stand in run.log, debug lines stand there only; those
/// of other ranks are dropped. Warnings and errors of every rank are shown with its number.
///
/// Threads: any thread.
/// Ranks:   local.
class Logger : public Interface {
 public:
  virtual void log(LogLevel level, std::string_view text) = 0;

  void info(std::string_view text) { log(LogLevel::info, text); }
  void warning(std::string_view text) { log(LogLevel::warning, text); }
};

template <>
class Remote<Logger> final : public kit::RemoteBase<Logger, mt_logger_v1> {
 public:
  static constexpr const char* id = "mortise/logger/1";
  using Methods = kit::Methods<&Logger::log>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void log(LogLevel level, std::string_view text) override {
    call(&Table::log, &Logger::log, level, text);
  }
};

}  // namespace mortise
