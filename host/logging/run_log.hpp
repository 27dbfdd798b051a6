#pragma once

#include <functional>
#include <memory>
#include <string>

namespace mortise::host {

enum class LogSeverity { debug, info, warning, error };

// The log of one rank: a file in the run folder, and for the user a line each.
//
// Info of the first rank is shown, that of others is not; warnings and errors of every rank are,
// with its number. Lines go out whole.
class RunLog {
 public:
  explicit RunLog(std::int64_t rank, std::int64_t ranks);
  ~RunLog();
  RunLog(const RunLog&) = delete;

  // From now on also into this file; throws Failure (exit storage). When it cannot be written any
  // more, a warning says so once.
  void open_file(const std::string& path);
  // Who shows lines to the user; by default they go to standard error.
  using Show = std::function<void(LogSeverity, const std::string&)>;
  void show_through(Show show);

  void write(LogSeverity severity, const std::string& text);
  // Into the file alone: somebody else shows it.
  void keep(LogSeverity severity, const std::string& text);
  void info(const std::string& text) { write(LogSeverity::info, text); }
  void warning(const std::string& text) { write(LogSeverity::warning, text); }
  void error(const std::string& text) { write(LogSeverity::error, text); }

 private:
  void show(LogSeverity severity, const std::string& text);
  struct Sinks;
  std::unique_ptr<Sinks> sinks_;
};

}  // namespace mortise::host
