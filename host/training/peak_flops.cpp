#include "host/training/peak_flops.hpp"

#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <chrono>

namespace mortise::host {

double measured_peak_flops(DType type) {
  using Clock = std::chrono::steady_clock;
  constexpr double kSize = 768, kSeconds = 0.05;
  const at::Tensor a = at::ones({std::int64_t(kSize), std::int64_t(kSize)},
                                type == DType::bfloat16 ? at::kBFloat16 : at::kFloat);
  at::mm(a, a);  // the first one starts the threads
  double best = kSeconds;
  const Clock::time_point begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < kSeconds) {
    const Clock::time_point start = Clock::now();
    at::mm(a, a);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return 2 * kSize * kSize * kSize / best;
}

}  // namespace mortise::host
