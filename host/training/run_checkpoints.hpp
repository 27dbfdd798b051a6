#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/checkpoint/checkpoint_writer.hpp"
#include "host/logging/run_log.hpp"
#include "host/training/program.hpp"
#include "host/training/run_folder.hpp"

namespace mortise::host {

// Where a run stands, beyond its tensors.
struct RunProgress {
  std::int64_t step = 0;              // updates that are done
  std::int64_t skipped_in_a_row = 0;  // of them, the last ones that changed nothing
};

// The checkpoints of a run: saves and loads engine and Stateful components, keeps those that
// checkpoint.keep, keep_every and best name.
//
// Ranks: save and load are collective.
class RunCheckpoints {
 public:
  // `config` and `plugins` go into every state.json.
  struct Texts {
    std::string config, plugins;
  };
  RunCheckpoints(const RunSettings& settings, ModelProgram& model, RunLog& log, Texts texts);

  // `tokens_per_step` for what state.json says; `keep_every` in steps, 0: none.
  void save(const RunProgress& progress, std::int64_t keep_every);
  // `which`: "latest", a step or a path. Throws Failure.
  RunProgress load(const std::string& which);
  // The value of checkpoint.best.metric after `step`.
  void note_evaluation(std::int64_t step, double value) { evaluations_[step] = value; }

 private:
  nlohmann::ordered_json state(const RunProgress& progress) const;
  std::vector<std::int64_t> best_steps() const;
  bool first_rank() const;

  const RunSettings& settings_;
  ModelProgram& model_;
  RunLog& log_;
  Texts texts_;
  RunFolder folder_;
  CheckpointWriter writer_;
  std::map<std::int64_t, double> evaluations_;
};

}  // namespace mortise::host
