#pragma once

// Cross-entropy of one row of logits, in plain C++ that the compiler turns into vector code. Lanes
// and their order are fixed, so every instruction set gives the same bits.

#include <cstdint>
#include <vector>

namespace mortise::cross_entropy {

struct RowKernels {
  // The largest logit, and the sum of exp(logit - largest). NaN if any logit is.
  void (*sum_exponentials)(const float* logits, std::int64_t size, float* largest, double* sum);
  // gradient = exp(logit - largest) * factor; may be the logits themselves.
  void (*scale_exponentials)(const float* logits, std::int64_t size, float largest, float factor,
                             float* gradient);
};

// Those that this processor can run, the fastest first.
std::vector<RowKernels> row_kernels();

}  // namespace mortise::cross_entropy
