#pragma once

// Rotary positions (Su et al. 2021) in the half-split layout of Hugging Face: dimension i of a head
// turns together with dimension i + D/2.

#include <ATen/core/Tensor.h>

namespace mortise::rotary {

// Cosines and sines of every position and frequency; float32 [B, 1, T, D/2].
struct Angles {
  at::Tensor cosine, sine;
};

// Keeps the angles of the positions that were seen last. The same positions give the same bits,
// whether computed or kept, so a recomputed visit repeats them.
class Rotary {
 public:
  Rotary(std::int64_t head_width, double theta);
  // positions [B, T] int64.
  const Angles& angles(const at::Tensor& positions);

 private:
  at::Tensor frequencies_, seen_;  // [D/2] float32; the positions behind angles_
  Angles angles_;
};

// x [B, H, T, D] -> the same, turned; bfloat16 is turned in float32. Gradients flow to x.
at::Tensor turn(const at::Tensor& x, const Angles& angles);
// The same bits from LibTorch's operations, for other devices and types.
at::Tensor turn_by_operations(const at::Tensor& x, const Angles& angles);

}  // namespace mortise::rotary
