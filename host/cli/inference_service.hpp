#pragma once

#include <mortise/run/inference.hpp>
#include <optional>

#include "host/cli/session.hpp"
#include "host/failure.hpp"

namespace mortise::host {

// Opens checkpoints for commands: the whole model in this process, wired from the configuration
// that the checkpoint carries.
class InferenceService final : public Inference {
 public:
  explicit InferenceService(std::vector<std::string> plugin_files)
      : plugin_files_(std::move(plugin_files)) {}
  std::unique_ptr<TrainedModel> open(std::string_view path) override;
  // What the last call that failed has thrown, before it crossed into a component and back.
  const std::optional<Failure>& failed() const { return failed_; }

 private:
  std::vector<std::string> plugin_files_;
  std::optional<Failure> failed_;
};

}  // namespace mortise::host
