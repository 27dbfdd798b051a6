#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/checkpoint/checkpoint_writer.hpp"
#include "host/logging/run_log.hpp"
#include "host/training/early_stop.hpp"
#include "host/training/program.hpp"
#include "host/training/run_folder.hpp"

namespace mortise::host {

// Where a run stands, beyond its tensors.
struct RunProgress {
  std::int64_t step = 0;              // updates that are done
  std::int64_t skipped_in_a_row = 0;  // of them, the last ones that changed nothing
  EarlyStopState early_stop;
};

// The checkpoints of a run: saves and loads engine and Stateful components, keeps those that
// checkpoint.keep, keep_every and best name.
//
// Ranks: save and load are collective.
class RunCheckpoints {
 public:
  // What every state.json says besides.
  struct Facts {
    std::string config, plugins;
    std::int64_t train_samples = 0;
    nlohmann::ordered_json changes = {};  // of settings, so far
  };
  RunCheckpoints(const RunSettings& settings, ModelProgram& model, RunLog& log, Facts facts);
  void note_changes(nlohmann::ordered_json changes) { facts_.changes = std::move(changes); }

  // `keep_every` in steps, 0: none.
  void save(const RunProgress& progress, std::int64_t keep_every);
  // Throws Failure.
  RunProgress load(const std::filesystem::path& folder);
  // The value of checkpoint.best.metric after `step`; one that is not finite is never the best.
  void note_evaluation(std::int64_t step, double value);

 private:
  nlohmann::ordered_json state(const RunProgress& progress) const;
  void apply_retention(std::int64_t keep_every) const;
  std::vector<std::int64_t> best_of(const std::vector<FoundCheckpoint>& there) const;
  bool first_rank() const;

  const RunSettings& settings_;
  ModelProgram& model_;
  RunLog& log_;
  Facts facts_;
  RunFolder folder_;
  CheckpointWriter writer_;
  std::map<std::int64_t, double> evaluations_;
};

}  // namespace mortise::host
