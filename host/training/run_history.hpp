#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "host/training/run_folder.hpp"

namespace mortise::host {

// The settings that a run has had: config.yaml has those in force, config-1.yaml, config-2.yaml …
// the earlier ones, changes.jsonl a line for each time that it went on with others.
class RunHistory {
 public:
  explicit RunHistory(const RunFolder& folder) : folder_(folder) {}

  // The run goes on from a checkpoint with other settings.
  struct Entry {
    std::int64_t step = 0;
    std::string from;                // the checkpoint's folder; empty: none
    nlohmann::ordered_json changes;  // [{key, before, after, rule}]
  };
  // Keeps config.yaml under the next number and writes `config` in its place. Throws Failure.
  void add(const Entry& entry, const std::string& config) const;
  // A list of the lines.
  nlohmann::ordered_json read() const;
  // The settings under which the run began.
  std::string first_config() const;
  // The settings under which the run went on after `step` from a checkpoint of it, if they were
  // others than before; else "".
  std::string config_after(std::int64_t step) const;

 private:
  const RunFolder& folder_;
};

}  // namespace mortise::host
