#include "permutation.hpp"

#include <bit>
#include <mortise/random.hpp>
#include <numeric>
#include <utility>

namespace mortise::order {

FeistelPermutation::FeistelPermutation(std::int64_t n, std::uint64_t key)
    : n_(static_cast<std::uint64_t>(n)), right_bits_(0), left_mask_(0), right_mask_(0), keys_{} {
  const int bits = std::bit_width(n_ - 1);
  right_bits_ = bits - bits / 2;
  left_mask_ = (std::uint64_t(1) << (bits / 2)) - 1;
  right_mask_ = (std::uint64_t(1) << right_bits_) - 1;
  for (std::size_t round = 0; round != keys_.size(); ++round)
    keys_[round] = random::bits(key, round);
}

std::int64_t FeistelPermutation::operator()(std::int64_t position) const {
  auto x = static_cast<std::uint64_t>(position);
  do x = scramble(x);
  while (x >= n_);
  return static_cast<std::int64_t>(x);
}

// The halves may differ in size, so they do not swap: each round changes the other half.
std::uint64_t FeistelPermutation::scramble(std::uint64_t x) const {
  std::uint64_t left = x >> right_bits_, right = x & right_mask_;
  for (std::size_t round = 0; round != keys_.size(); round += 2) {
    left ^= random::mix(right + keys_[round]) & left_mask_;
    right ^= random::mix(left + keys_[round + 1]) & right_mask_;
  }
  return left << right_bits_ | right;
}

std::vector<std::int64_t> shuffled(std::int64_t n, std::uint64_t key) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), std::int64_t(0));
  for (std::uint64_t i = all.size(); i > 1; --i) {
    // 48 random bits times at most 2^16 fill the 64 bits; the bias is below 2^-32.
    const std::uint64_t j = ((random::bits(key, i) >> 16) * i) >> 48;
    std::swap(all[i - 1], all[j]);
  }
  return all;
}

}  // namespace mortise::order
