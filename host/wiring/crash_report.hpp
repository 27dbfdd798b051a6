#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace mortise::host {

// Tells about what no exception can tell: a plugin that crashes, or throws where nothing may be
// thrown.

// From now on std::terminate and the signals of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT)
// name plugin, component, call, rank and step on standard error. Terminating within a plugin ends
// the process with the exit code of a plugin's failure; a signal is raised again, for the core
// dump.
void report_crashes();

// What a crash report says about a plugin that has been loaded.
struct PluginInCrashReport {
  std::string id, version, digest;
  std::filesystem::path file;
};
void name_in_crash_reports(const PluginInCrashReport& plugin);

// Who reports: shown when there are several ranks.
void report_crashes_of_rank(std::int64_t rank);
// A crash is also written to this file, whose folder exists.
void write_crash_reports_to(const std::filesystem::path& file);

}  // namespace mortise::host
