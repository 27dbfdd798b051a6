#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/config/setting.hpp"
#include "host/distributed/mesh.hpp"
#include "host/engine/engine.hpp"

namespace mortise::host {

// The sections of a run file that the host itself reads, typed.
struct RunSettings {
  std::string name, folder;  // folder of the run: run.folder/run.name
  std::uint64_t seed = 0, data_seed = 0, initializer_seed = 0;
  std::optional<std::int64_t> steps, tokens;
  std::optional<double> epochs;
  std::string device = "auto";
  bool chooses_communicator = true;  // run.communicator: auto
  std::optional<double> stop_after_seconds;
  double timeout_seconds = 300;
  bool checks_collectives = false;
  std::optional<double> peak_flops;  // a second, of one rank

  std::int64_t sequences = 0, sequence_length = 0, micro_batch = 0;  // per step, over all ranks
  MeshSizes mesh;

  bool isolates_documents = false;

  std::optional<double> clip_norm;
  double norm = 2;
  std::int64_t max_skipped = 10;
  Recompute recompute;
  DType compute = DType::float32;

  std::optional<Amount> eval_every, hold_out;
  std::optional<std::int64_t> eval_tokens;
  std::vector<std::string> eval_sets;

  std::optional<Amount> checkpoint_every, keep_every;
  std::int64_t keep = 2;
  std::optional<std::string> best_metric;
  std::int64_t best_keep = 1;
  bool allow_partial = false;
  Amount log_every;
  struct EarlyStop {
    std::string metric;
    std::int64_t patience = 0;
    double min_delta = 0;
  };
  std::optional<EarlyStop> early_stop;

  std::int64_t tokens_per_step() const { return sequences * sequence_length; }
  std::int64_t micro_batches() const { return (sequences + micro_batch - 1) / micro_batch; }
};

// Reads the checked tree. Throws Failure (exit configuration) for what only the whole can tell.
RunSettings read_run_settings(const Setting& root);

// The largest divisor of `sequences` that is at most 8: never a function of the ranks.
std::int64_t default_micro_batch(std::int64_t sequences);

}  // namespace mortise::host
