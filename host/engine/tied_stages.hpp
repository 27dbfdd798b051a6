#pragma once

#include "host/engine/layout.hpp"
#include "host/engine/parameters.hpp"

namespace mortise::host {

// Parameters that units of several stages share: each stage has a copy and the gradient of its own
// uses.
class TiedStages {
 public:
  TiedStages(const Layout& layout, const Parameters& parameters);
  // The lowest stage adds up the others' gradients, in the order of the stages; theirs become zero,
  // so that a norm counts them once.
  void join() const;
  // The others get the sum, so that every copy takes the same step.
  void hand_out() const;

 private:
  struct Tied {
    at::Tensor gradient;
    std::vector<std::int64_t> stages;  // ascending
  };
  Communicator& stages_;
  std::vector<Tied> all_;
};

}  // namespace mortise::host
