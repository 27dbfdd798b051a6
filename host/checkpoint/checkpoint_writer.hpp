#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/checkpoint/files/storage_failure.hpp"
#include "host/checkpoint/saved_tensor.hpp"

namespace mortise::host {

// The ranks that save together. `gather` is collective: it gives every rank the texts of all, in
// rank order. It may be empty for a single rank.
struct SavingRanks {
  std::int64_t rank = 0, ranks = 1;
  std::function<std::vector<std::string>(const std::string& mine)> gather;
};

// What one rank saves. The values must not change until save() returns. A box that several ranks
// hold is written by the lowest of them; an optimizer slot's name is told from its parameter's
// ("adamw.exp_avg/model.norm.weight"): names are unique over both groups.
struct CheckpointContent {
  std::int64_t step = 0;
  std::vector<SavedTensor> weights, optimizer;
};

// Writes checkpoints into the folder `checkpoints` of a run, which all ranks share.
//
// Ranks:   save() is collective: three gathers. All ranks return or all throw the same Failure,
// that
//          of the lowest rank which had one; then nothing of this save is left, and older
//          checkpoints are as they were.
// Threads: one call at a time; it may run beside training if `gather` may.
class CheckpointWriter {
 public:
  CheckpointWriter(std::filesystem::path checkpoints, SavingRanks ranks, WarningSink warn);

  // `state` is rank 0's, others' is not looked at. Returns the folder of the checkpoint.
  std::filesystem::path save(const CheckpointContent& content, const nlohmann::ordered_json& state);

 private:
  std::vector<std::string> agree(const std::function<std::string()>& work);
  std::string write_mine(const CheckpointContent& content, const std::vector<std::string>& held);

  std::filesystem::path checkpoints_;
  SavingRanks ranks_;
  WarningSink warn_;
};

}  // namespace mortise::host
