#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace mortise::host {

// What the process ends with; documented in docs/errors.md.
enum class Exit : int {
  done = 0,
  bug = 1,
  configuration = 2,
  plugin = 3,
  data = 4,
  training = 5,
  ranks = 6,
  storage = 7,
  stopped = 75,
};

// A failure that a user can do something about: a stable id, the whole text that is printed, and
// the exit code of the process. Broken invariants of ours are not Failures.
class Failure : public std::runtime_error {
 public:
  Failure(std::string id, Exit exit, const std::string& message)
      : std::runtime_error(message), id_(std::move(id)), exit_(exit) {}
  const std::string& id() const { return id_; }
  Exit exit() const { return exit_; }

 private:
  std::string id_;
  Exit exit_;
};

}  // namespace mortise::host
