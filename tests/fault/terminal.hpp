#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "tests/end_to_end/program.hpp"

namespace mortise::tests {

// A program on a terminal of its own, whose keys the test presses. Killed with the object.
class Terminal {
 public:
  explicit Terminal(const Program::Start& start);
  ~Terminal();
  Terminal(const Terminal&) = delete;

  // Waits until it has written `text`; false: it ended before, or the limit came.
  bool shows(const std::string& text);
  void press(char key) const;
  // Waits for its end, at most up to the limit. What it has written is `out`.
  Outcome wait();

 private:
  bool late() const { return std::chrono::steady_clock::now() > deadline_; }
  void read_on();

  std::chrono::steady_clock::time_point deadline_;
  int screen_ = -1;
  pid_t id_ = -1;
  std::string seen_;
};

}  // namespace mortise::tests
