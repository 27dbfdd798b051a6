#pragma once

// Ctrl-C and SIGTERM while a command works.

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
};

}  // namespace mortise::data_tools
