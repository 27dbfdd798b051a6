#pragma once

#include "tests/end_to_end/trial.hpp"

namespace mortise::tests {

// A fault of the plugin `faulty`, by the names of its settings.
struct Fault {
  const char* component;  // "layer_ops", "observers", "log.sinks"
  std::string call, how;
  int at = 0, rank = -1;
};

// Arguments of a run with the plugin's counting observer and, maybe, a fault. A run that goes on
// may change to them.
Words with_faulty_plugin();
Words with_fault(const Fault& fault);

// The steps of the complete checkpoints of a run: folders under their final name.
std::vector<int> saved_steps(const Trial& trial, const std::string& run = "runs/tiny");
// Unfinished checkpoints.
Words half_checkpoints(const Trial& trial, const std::string& run = "runs/tiny");

}  // namespace mortise::tests
