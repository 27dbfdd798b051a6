#pragma once

// One epoch in blocks: blocks of neighbouring samples change places, then the samples of some
// successive blocks (a window) are shuffled with each other.

#include <cstdint>
#include <optional>
#include <vector>

#include "../keyed_permutation/permutation.hpp"

namespace mortise::order {

class BlockOrder {
 public:
  // `block` samples a block, `window` blocks a window, of at most kSmallestFeistel samples; the
  // last block is shorter where `block` does not divide `samples`.
  BlockOrder(std::int64_t samples, std::int64_t block, std::int64_t window, std::uint64_t key);

  // Windows cover the places of an epoch, one after the other.
  std::int64_t window_of(std::int64_t place) const;
  std::int64_t begin_of(std::int64_t window) const;
  // The samples of a window in the order in which they are visited.
  std::vector<std::int64_t> samples_of(std::int64_t window) const;

 private:
  std::int64_t block_at(std::int64_t place) const;

  std::int64_t samples_, block_, window_, blocks_;
  std::int64_t short_place_;  // where the shorter block stands among the blocks; -1: there is none
  std::uint64_t key_;
  std::vector<std::int64_t> few_;  // the order of whole blocks, one of two forms
  std::optional<FeistelPermutation> many_;
};

}  // namespace mortise::order
