#pragma once

#include <cstdint>
#include <filesystem>

#include "host/checkpoint/files/storage_failure.hpp"

namespace mortise::host {

// Removes what saves that were cut short have left behind, with a warning each. For whoever knows
// that nobody saves there.
void remove_leftovers(const std::filesystem::path& checkpoints, const WarningSink& warn);

// The folder in which rank 0 lets a checkpoint grow: step_00000200.partial, which is removed again
// unless it is committed. Throws Failure K0002.
class PartialFolder {
 public:
  // Removes what earlier saves left behind, then makes the folder.
  PartialFolder(const std::filesystem::path& checkpoints, std::int64_t step, WarningSink warn);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  // Gives the folder its final name. A complete checkpoint of the same step is replaced, at once
  // where the file system can; anything else of that name is moved aside with a warning.
  void commit();

 private:
  void replace();
  std::filesystem::path move_aside() const;

  std::filesystem::path checkpoints_, partial_, final_;
  WarningSink warn_;
  bool committed_ = false;
};

}  // namespace mortise::host
