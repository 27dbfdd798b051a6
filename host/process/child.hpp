#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mortise::host {

// A program to run to its end.
struct ChildStart {
  std::vector<std::string> command;  // a path, or a name to look for in PATH, and its arguments
  std::filesystem::path output;      // takes what it prints, added at the end
  std::optional<std::chrono::milliseconds> limit{};  // it and what it started are killed then
};

struct ChildEnd {
  int code = 0;       // of a program that ended by itself
  int signal = 0;     // that ended it, or 0
  bool late = false;  // killed at the limit
  bool done() const { return code == 0 && signal == 0 && !late; }
};

// Runs a program and waits for it. Throws std::system_error when it cannot be started, with
// std::errc::no_such_file_or_directory where there is none of that name.
ChildEnd run_child(const ChildStart& start);

}  // namespace mortise::host
