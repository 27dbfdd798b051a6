#pragma once

// Sums of cross-entropy over the rows of a [.., V] matrix of logits, and their gradient. Rows whose
// target is kNotCounted add nothing.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mortise::cross_entropy {

constexpr std::int64_t kNotCounted = -100;

struct TokenSum {
  at::Tensor sum;         // 0-d float64
  at::Tensor statistics;  // what the gradient needs of each row
  at::Tensor losses;      // what each row has added: [rows] float64
};

// logits float32, contiguous; targets int64, contiguous, one for each row.
// Errors: on the CPU DataError for a target that is no id; elsewhere the device's own assertion.
TokenSum token_sum(const at::Tensor& logits, const at::Tensor& targets);

// (softmax - one) * scale into `gradient`, which may be `logits`; zero where nothing is counted.
void token_gradient(const at::Tensor& logits, const at::Tensor& targets,
                    const at::Tensor& statistics, const at::Tensor& scale, at::Tensor& gradient);

}  // namespace mortise::cross_entropy
