#pragma once

// Ctrl-C and SIGTERM while a command works.

#include <cstdint>

namespace mortise::data_tools {

// While it lives, the first SIGINT or SIGTERM only asks for the end; a second one ends the process.
// A limit on file sizes and a reader of our output that is gone are errors of the write that meets
// them, not signals. The handlers of before come back with its end.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The signal that came, 0 when none has.
  static int signal();
  // Says that nothing was written, and returns the exit code of a command that was interrupted.
  std::int64_t tell() const;
};

}  // namespace mortise::data_tools
