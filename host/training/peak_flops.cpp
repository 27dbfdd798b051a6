#include "host/training/peak_flops.hpp"

#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <chrono>

namespace mortise::host {

double measured_peak_flops(DType type, at::Device device) {
  using Clock = std::chrono::steady_clock;
  constexpr double kSeconds = 0.05;
  const double kSize = device.is_cpu() ? 768 : 8192;
  const at::Tensor a = at::ones(
      {std::int64_t(kSize), std::int64_t(kSize)},
      at::TensorOptions(device).dtype(type == DType::bfloat16 ? at::kBFloat16 : at::kFloat));
  const auto multiply = [&] {
    const at::Tensor product = at::mm(a, a);
    if (!device.is_cpu()) product.flatten()[0].item();  // waits for it
  };
  multiply();  // the first one starts the threads
  double best = kSeconds;
  const Clock::time_point begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < kSeconds) {
    const Clock::time_point start = Clock::now();
    multiply();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return 2 * kSize * kSize * kSize / best;
}

}  // namespace mortise::host
