#pragma once

#include <filesystem>

namespace mortise::host {

// Keeps a second process from training the same run at the same time; ends with the process,
// however that ends. A file system that knows no locks gives none.
class RunLock {
 public:
  // Waits some seconds for one that is about to end, then throws Failure (exit configuration).
  explicit RunLock(const std::filesystem::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace mortise::host
