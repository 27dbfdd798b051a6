#pragma once

// Permutations of [0, n) that are functions of a key.

#include <array>
#include <cstdint>
#include <vector>

namespace mortise::order {

// Below this many elements a whole shuffle is cheap, and too small for a good Feistel network.
inline constexpr std::int64_t kSmallestFeistel = 65536;

// Any element at once, without storage: a Feistel network over the smallest power of two that holds
// n, walked on until it falls inside [0, n) (Black & Rogaway 2002). For n >= 2.
class FeistelPermutation {
 public:
  FeistelPermutation(std::int64_t n, std::uint64_t key);
  std::int64_t operator()(std::int64_t position) const;

 private:
  static constexpr int kRounds = 10;
  std::uint64_t scramble(std::uint64_t x) const;

  std::uint64_t n_;
  int right_bits_;
  std::uint64_t left_mask_, right_mask_;
  std::array<std::uint64_t, kRounds> keys_;
};

// All of [0, n), shuffled (Fisher & Yates); n <= kSmallestFeistel.
std::vector<std::int64_t> shuffled(std::int64_t n, std::uint64_t key);

}  // namespace mortise::order
