#pragma once

#include <string>

namespace mortise::tests {

// A listening socket on a port of this machine that nobody else had.
class TakenPort {
 public:
  TakenPort();
  ~TakenPort();
  TakenPort(const TakenPort&) = delete;
  int number() const { return number_; }

 private:
  int socket_, number_ = 0;
};

// A port that nobody listens on just now.
inline int free_port() { return TakenPort().number(); }

}  // namespace mortise::tests
