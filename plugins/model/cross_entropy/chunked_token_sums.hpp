#pragma once

#include "token_sums.hpp"

namespace mortise::cross_entropy {

// As token_sum and token_gradient, by LibTorch's operations on some rows at a time: for devices
// that our own loops do not run on. Waits for nothing.
TokenSum chunked_token_sum(const at::Tensor& logits, const at::Tensor& targets);
void chunked_token_gradient(const at::Tensor& logits, const at::Tensor& targets,
                            const at::Tensor& statistics, const at::Tensor& scale,
                            at::Tensor& gradient);

}  // namespace mortise::cross_entropy
