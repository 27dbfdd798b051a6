#pragma once

// Picks the next token.

#include <cstdint>
#include <span>

namespace mortise::generate {

struct Sampling {
  double temperature = 1;  // 0: the likeliest token
  std::int64_t top_k = 0;  // only the k likeliest tokens; 0: all
};

// A token drawn from softmax(logits / temperature) by a number that is uniform in (0, 1). Equal
// logits: the smaller id first.
// Errors: Error(failed) when a logit is not a number.
std::int64_t draw(std::span<const float> logits, const Sampling& sampling, double uniform);

}  // namespace mortise::generate
