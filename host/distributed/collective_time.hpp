#pragma once

#include <chrono>

namespace mortise::host {

// How long this thread has been in collectives: starting them and waiting for them. A group of one
// rank spends none. Measured with the host's clock; nothing waits for it.
std::chrono::nanoseconds time_in_collectives();

// What passes while it lives is spent in a collective.
class InCollective {
 public:
  InCollective() : start_(std::chrono::steady_clock::now()) {}
  ~InCollective();
  InCollective(const InCollective&) = delete;
  std::chrono::steady_clock::time_point start() const { return start_; }

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace mortise::host
