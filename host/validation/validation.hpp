#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/loading/gate.hpp"

namespace mortise::host {

// What a plugin is held to, and with what.
struct ValidationRequest {
  std::filesystem::path file;
  std::filesystem::path checker;      // the program that runs the plugin's code
  std::vector<std::string> sets;      // KEY=VALUE or COMPONENT.KEY=VALUE, for settings
  std::uint64_t seed = 1;             // what components are given
  std::chrono::seconds limit{45};     // of one check
  std::uint64_t memory = 4ull << 30;  // bytes of one check
};

// One check: of the whole file, or of one component.
struct ValidationCheck {
  enum class Outcome { passed, failed, skipped };
  std::string group{};      // gate, static, load, life, settings, contract
  std::string component{};  // its key; "" for the file
  Outcome outcome = Outcome::passed;
  std::vector<std::string> failures{};
  std::string reason{};      // why it was skipped
  std::int64_t checked = 0;  // expectations of a contract
  int signal = 0;            // that has ended the check's process
  bool late = false;         // it was ended at the limit
  std::string output{};      // the end of what the process has printed, where it did not end well
  std::chrono::milliseconds took{0};
};

struct Validation {
  Judgement judgement;
  std::uint64_t seed = 1;
  std::vector<ValidationCheck> checks;
  bool passed() const;
};

// Judges the file and, if the gate accepts it, runs each check in a process of its own. Whatever
// the plugin does, its process is ended at the limit and this one goes on.
// Throws Failure (exit configuration) for a setting that no component has, (exit storage) where no
// temporary folder can be made; std::system_error where no process can be started.
Validation validate_plugin(const ValidationRequest& request, const HostIdentity& host);

std::string validation_text(const Validation& validation);
std::string validation_json(const Validation& validation);

}  // namespace mortise::host
