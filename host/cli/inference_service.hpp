#pragma once

#include <mortise/run/inference.hpp>

#include "host/cli/session.hpp"

namespace mortise::host {

// Opens checkpoints for commands: the whole model in this process, wired from the configuration
// that the checkpoint carries.
class InferenceService final : public Inference {
 public:
  explicit InferenceService(std::vector<std::string> plugin_files)
      : plugin_files_(std::move(plugin_files)) {}
  std::unique_ptr<TrainedModel> open(std::string_view path) override;

 private:
  std::vector<std::string> plugin_files_;
};

}  // namespace mortise::host
