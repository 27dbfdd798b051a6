#include "row_kernels.hpp"

#include <bit>
#include <cstring>
#include <limits>

namespace mortise::cross_entropy {
namespace {

constexpr int kLanes = 16;                    // what a row is cut into, whatever the registers hold
constexpr std::int64_t kBlock = 64 * kLanes;  // summed in float32 before it joins the float64 sum
constexpr float kInfinity = std::numeric_limits<float>::infinity();

#define MORTISE_INLINE [[gnu::always_inline]] inline

// Vectors of 4, 8 or 16 numbers, as many as a register holds. (g++ 12 takes no size that depends on
// a template parameter.)
struct Four {
  using Floats = float __attribute__((vector_size(16)));
  using Integers = std::int32_t __attribute__((vector_size(16)));
};
struct Eight {
  using Floats = float __attribute__((vector_size(32)));
  using Integers = std::int32_t __attribute__((vector_size(32)));
};
struct Sixteen {
  using Floats = float __attribute__((vector_size(64)));
  using Integers = std::int32_t __attribute__((vector_size(64)));
};

template <class Vector>
struct Row {
  using Floats = typename Vector::Floats;
  using Integers = typename Vector::Integers;
  static constexpr int kWidth = sizeof(Floats) / sizeof(float), kParts = kLanes / kWidth;

  // Replaces x <= 0 by exp(x), within 2 units in the last place; 0 below the smallest normal
  // number, NaN for NaN. Range reduction and polynomial as in Cephes (Moshier).
  MORTISE_INLINE static void exponentiate(Floats& x) {
    constexpr float kLowest = -87.33654f, kRounding = 12582912.0f;  // 1.5 * 2^23
    const Integers too_low = x < kLowest;
    const Floats d = too_low ? Floats{} + kLowest : x;
    const Floats shifted = d * 1.44269504f + kRounding;
    const Floats n = shifted - kRounding;
    const Floats r = d - n * 0.693359375f - n * -2.12194440e-4f;
    Floats p = 1.9875691500e-4f * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    Integers exponent;
    std::memcpy(&exponent, &shifted, sizeof exponent);
    exponent = (exponent - std::bit_cast<std::int32_t>(kRounding) + 127) << 23;
    Floats power;
    std::memcpy(&power, &exponent, sizeof power);
    x = too_low ? Floats{} : p * power;
  }

  // One step of kLanes numbers: f(number of the vector, the vector).
  template <class F>
  MORTISE_INLINE static void step(const float* from, const F& f) {
#pragma GCC unroll 4
    for (int p = 0; p != kParts; ++p) {
      Floats v;
      std::memcpy(&v, from + p * kWidth, sizeof v);
      f(p, v);
    }
  }
  // A whole row; behind its end come numbers that do not count.
  template <class F>
  MORTISE_INLINE static void each(const float* from, std::int64_t size, const F& f) {
    std::int64_t i = 0;
    for (; i + kLanes <= size; i += kLanes) step(from + i, f);
    if (i == size) return;
    float tail[kLanes];
    for (float& lane : tail) lane = -kInfinity;
    std::memcpy(tail, from + i, std::size_t(size - i) * sizeof(float));
    step(tail, f);
  }

  MORTISE_INLINE static float largest_of(const float* logits, std::int64_t size) {
    Floats most[kParts];
    for (Floats& part : most) part = Floats{} - kInfinity;
    each(logits, size, [&](int p, const Floats& v) { most[p] = v > most[p] ? v : most[p]; });
    float lanes[kLanes], largest = -kInfinity;
    std::memcpy(lanes, most, sizeof lanes);
    for (const float lane : lanes) largest = lane > largest ? lane : largest;
    return largest;
  }
  MORTISE_INLINE static double sum_of(const float* logits, std::int64_t size, float largest) {
    Floats sums[kParts] = {};
    each(logits, size, [&](int p, const Floats& v) {
      Floats e = v - largest;
      exponentiate(e);
      sums[p] += e;
    });
    float lanes[kLanes];
    std::memcpy(lanes, sums, sizeof lanes);
    double total = 0;
    for (const float lane : lanes) total += double(lane);
    return total;
  }
  MORTISE_INLINE static void sum_exponentials(const float* logits, std::int64_t size,
                                              float* largest, double* sum) {
    *largest = largest_of(logits, size);
    *sum = 0;
    for (std::int64_t i = 0; i < size; i += kBlock)
      *sum += sum_of(logits + i, size - i < kBlock ? size - i : kBlock, *largest);
  }

  MORTISE_INLINE static void scale_exponentials(const float* logits, std::int64_t size,
                                                float largest, float factor, float* gradient) {
    const std::int64_t full = size / kLanes * kLanes;
    const auto scaled = [&](float* to) {
      return [=](int p, const Floats& v) {
        Floats e = v - largest;
        exponentiate(e);
        e *= factor;
        std::memcpy(to + p * kWidth, &e, sizeof e);
      };
    };
    for (std::int64_t i = 0; i != full; i += kLanes) step(logits + i, scaled(gradient + i));
    float tail[kLanes];
    each(logits + full, size - full, scaled(tail));
    std::memcpy(gradient + full, tail, std::size_t(size - full) * sizeof(float));
  }
};

#define MORTISE_COMPILE(name, vector, attribute)                                             \
  struct name {                                                                              \
    attribute static void sum(const float* x, std::int64_t n, float* largest, double* sum) { \
      Row<vector>::sum_exponentials(x, n, largest, sum);                                     \
    }                                                                                        \
    attribute static void scale(const float* x, std::int64_t n, float largest, float factor, \
                                float* out) {                                                \
      Row<vector>::scale_exponentials(x, n, largest, factor, out);                           \
    }                                                                                        \
  }

MORTISE_COMPILE(Baseline, Four, );
#ifdef __x86_64__
MORTISE_COMPILE(Avx2, Eight, [[gnu::target("avx2")]]);
MORTISE_COMPILE(Avx512, Sixteen, [[gnu::target("avx512f")]]);
#endif

}  // namespace

std::vector<RowKernels> row_kernels() {
  std::vector<RowKernels> all;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) all.push_back({&Avx512::sum, &Avx512::scale});
  if (__builtin_cpu_supports("avx2")) all.push_back({&Avx2::sum, &Avx2::scale});
#endif
  all.push_back({&Baseline::sum, &Baseline::scale});
  return all;
}

}  // namespace mortise::cross_entropy
