#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/checkpoint/files/storage_failure.hpp"

namespace mortise::host {

struct FoundCheckpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;
  bool operator==(const FoundCheckpoint&) const = default;
};

// Which checkpoints stay. The newest always does.
struct Retention {
  std::int64_t keep = 0;           // that many of the newest; 0: all
  std::int64_t keep_every = 0;     // those whose step it divides; 0: none
  std::vector<std::int64_t> best;  // steps, by whatever measure the caller has
};

// The folder `checkpoints` of a run. Complete means: there is an index, and every file that it
// lists has its size; checksums are looked at when a checkpoint is opened. Torn ones are passed
// over with a warning.
// Threads: one at a time. Ranks: removals are rank 0's.
class CheckpointFolder {
 public:
  CheckpointFolder(std::filesystem::path checkpoints, WarningSink warn);

  // By ascending step; none when the folder is missing.
  std::vector<FoundCheckpoint> complete() const;
  std::optional<FoundCheckpoint> latest() const;

  // The folder that "latest", a step ("200", "step_00000200") or a path means.
  // Throws Failure K0031, which lists what there is.
  std::filesystem::path resolve(const std::string& which) const;

  // Removes what need not stay and returns it. Touches only complete checkpoints of ours that hold
  // nothing but their own files. What cannot be removed is a warning.
  std::vector<FoundCheckpoint> apply(const Retention& retention) const;

  // Moves complete checkpoints of later steps to free names, which no command takes for
  // checkpoints: the run goes on from an earlier one. Returns the new names. Throws Failure K0002.
  std::vector<std::filesystem::path> set_aside_after(std::int64_t step) const;

 private:
  bool is_complete(const FoundCheckpoint& candidate) const;
  bool remove(const FoundCheckpoint& checkpoint) const;
  [[noreturn]] void refuse(const std::string& which) const;

  std::filesystem::path checkpoints_;
  WarningSink warn_;
};

}  // namespace mortise::host
