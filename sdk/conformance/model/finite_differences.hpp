#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "sample_parameters.hpp"

namespace mortise::conformance {

struct Differences {
  double step = 1e-4;
  double tolerance = 1e-5;  // absolute and relative, of a slope
};
inline constexpr Differences kFloat32Differences{1e-2, 1e-2};

// Whether the slope of `value()` along one direction of `leaf` is what `gradient` says. The
// direction has length one and is a function of `name`. `leaf` is as before when it returns.
template <class F>
bool slope_agrees(const std::string& name, const at::Tensor& leaf, const at::Tensor& gradient,
                  F value, const Differences& d) {
  const at::NoGradGuard no_grad;
  const at::Tensor drawn = sample_values(name, leaf.sizes().vec());
  const at::Tensor direction = drawn.div(drawn.norm());
  const at::Tensor kept = leaf.detach().clone();
  const auto at_distance = [&](double distance) {
    leaf.copy_(kept.to(at::kDouble).add(direction, distance));
    return value();
  };
  const double numeric = (at_distance(d.step) - at_distance(-d.step)) / (2 * d.step);
  leaf.copy_(kept);
  const double analytic = gradient.to(at::kDouble).mul(direction).sum().template item<double>();
  return std::abs(numeric - analytic) <= d.tolerance * (1 + std::abs(numeric));
}

}  // namespace mortise::conformance
