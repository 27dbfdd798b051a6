#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <string>

namespace mortise::tests {

// What components print goes into a file meanwhile, so that a test's own output stays readable.
class CapturedOutput {
 public:
  explicit CapturedOutput(const std::string& path) {
    const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (const int target : {STDOUT_FILENO, STDERR_FILENO}) {
      kept_[target] = ::dup(target);
      ::dup2(file, target);
    }
    ::close(file);
  }
  ~CapturedOutput() {
    for (const auto& [target, copy] : kept_) {
      ::dup2(copy, target);
      ::close(copy);
    }
  }
  CapturedOutput(const CapturedOutput&) = delete;

 private:
  std::map<int, int> kept_;
};

}  // namespace mortise::tests
