#include "tests/fault/faulty_run.hpp"

namespace mortise::tests {
namespace {

std::string node(const Fault& fault) {
  return "{use: faulty, call: " + fault.call + ", how: " + fault.how +
         ", at: " + std::to_string(fault.at) + ", rank: " + std::to_string(fault.rank) + "}";
}

}  // namespace

Words with_faulty_plugin() {
  return Words{"--plugin", fixture_plugin("faulty").string(), "--accept", "observers"} +
         sets({"observers={use: faulty}"});
}

Words with_fault(const Fault& fault) {
  const std::string component = fault.component;
  const std::string sinks = "[{use: console}, " + node(fault) + "]";
  return with_faulty_plugin() + Words{"--accept", component} +
         sets({component + "=" + (component == "log.sinks" ? sinks : node(fault))});
}

std::vector<int> saved_steps(const Trial& trial, const std::string& run) {
  std::vector<int> steps;
  for (const std::string& name : trial.names(run + "/checkpoints"))
    if (name.size() == 13) steps.push_back(std::stoi(name.substr(5)));
  return steps;
}

Words half_checkpoints(const Trial& trial, const std::string& run) {
  Words half;
  for (const std::string& name : trial.names(run + "/checkpoints"))
    if (name.size() != 13) half.push_back(name);
  return half;
}

}  // namespace mortise::tests
