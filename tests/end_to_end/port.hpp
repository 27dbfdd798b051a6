#pragma once

#include <string>

namespace mortise::tests {

// A listening socket on a port of this machine that nobody else had.
class TakenPort {
 public:
  // 0: any that is free. Throws when it cannot be had.
  explicit TakenPort(int number = 0);
  ~TakenPort();
  TakenPort(const TakenPort&) = delete;
  int number() const { return number_; }

 private:
  int socket_, number_ = 0;
};

// A port that nobody listens on just now.
inline int free_port() { return TakenPort().number(); }

}  // namespace mortise::tests
