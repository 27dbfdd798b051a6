#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace [[gnu::visibility("hidden")]] mortise {

/// Random numbers without state: every draw is a function of a key and a counter.
///
/// Threads: any thread.
/// Ranks:   local; equal on every rank and every machine (IEEE arithmetic without contraction).
namespace random {

using Block = std::array<std::uint32_t, 4>;

/// Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011).
constexpr Block philox(Block counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round != 10; ++round) {
    const std::uint64_t a = std::uint64_t(0xD2511F53u) * counter[0];
    const std::uint64_t b = std::uint64_t(0xCD9E8D57u) * counter[2];
    counter = {std::uint32_t(b >> 32) ^ counter[1] ^ key[0], std::uint32_t(b),
               std::uint32_t(a >> 32) ^ counter[3] ^ key[1], std::uint32_t(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// Mixes 64 bits so that every input bit changes about half of the output (SplitMix64's finaliser,
/// Steele, Lea & Flood 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// A 64-bit key of a seed and a name.
constexpr std::uint64_t key_of(std::uint64_t seed, std::string_view name) {
  std::uint64_t h = mix(seed + 0x9E3779B97F4A7C15u);
  for (const char c : name) h = mix(h ^ static_cast<unsigned char>(c)) + 0x9E3779B97F4A7C15u;
  return mix(h ^ name.size());
}

/// 64 random bits for element `index` of stream `key`.
constexpr std::uint64_t bits(std::uint64_t key, std::uint64_t index) {
  const Block block = philox({std::uint32_t(index >> 1), std::uint32_t(index >> 33), 0, 0},
                             {std::uint32_t(key), std::uint32_t(key >> 32)});
  return index % 2 == 0 ? block[0] | std::uint64_t(block[1]) << 32
                        : block[2] | std::uint64_t(block[3]) << 32;
}

/// Uniform in (0, 1): the middle of one of 2^53 equal parts.
constexpr double uniform(std::uint64_t key, std::uint64_t index) {
  return (double(bits(key, index) >> 11) + 0.5) * 0x1.0p-53;
}

/// Inverse of the normal distribution function (Acklam's rational approximation, relative error
/// below 1.2e-9).
inline double inverse_normal(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  };
  if (p < 0.02425) return tail(std::sqrt(-2 * std::log(p)));
  if (p > 1 - 0.02425) return -tail(std::sqrt(-2 * std::log(1 - p)));
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

/// A standard normal number for element `index` of stream `key`.
inline double normal(std::uint64_t key, std::uint64_t index) {
  return inverse_normal(uniform(key, index));
}

}  // namespace random
}  // namespace mortise
