#pragma once

#include <ATen/ops/dot.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <mortise/kit/torch.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// A part of a gradient norm, for Owner::norm_part: the sum of |g|^p for p = 1 or 2, the largest
/// |g| for infinity.
///
/// Accumulated in float64, because a float32 sum depends on the layout in bits that clipping makes
/// visible. Waits for nothing on the device.
///
/// Shapes: one-dimensional, any sizes -> 0-d.
/// Types:  float32 -> float64.
/// Errors: Error(bad_argument) for another p.
inline at::Tensor norm_part(const TensorList& gradients, double p) {
  constexpr std::int64_t kChunk = 1 << 18;  // a chunk as float64 stays in the cache
  at::Tensor total = at::zeros({}, at::kDouble);
  for (const at::Tensor& g : gradients) {
    if (total.device() != g.device()) total = total.to(g.device());
    for (std::int64_t from = 0; from < g.numel(); from += kChunk) {
      const at::Tensor x = g.narrow(0, from, std::min(kChunk, g.numel() - from)).to(at::kDouble);
      if (p == 2)
        total.add_(at::dot(x, x));
      else if (p == 1)
        total.add_(x.abs().sum());
      else if (std::isinf(p))
        total = at::maximum(total, x.abs().max());
      else
        throw Error(ErrorCode::bad_argument,
                    "norm " + std::to_string(p) + ": expected 1, 2 or inf");
    }
  }
  return total;
}

}  // namespace mortise
