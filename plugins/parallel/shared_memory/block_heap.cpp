#include "block_heap.hpp"

#include <bit>

namespace mortise_shared_memory {
namespace {

// 64, and above it the next of 2^k and 1.5 * 2^k.
std::uint64_t size_for(std::uint64_t bytes) {
  const std::uint64_t power = std::bit_ceil(bytes < 64 ? std::uint64_t(64) : bytes);
  const std::uint64_t less = power / 4 * 3;
  return bytes <= less && less >= 128 ? less : power;
}

}  // namespace

BlockHeap::Block BlockHeap::take(std::uint64_t bytes) {
  const std::uint64_t size = size_for(bytes);
  std::vector<std::uint64_t>& there = free_[size];
  if (there.empty()) {
    const Block block{end_, size};
    end_ += size;
    return block;
  }
  const Block block{there.back(), size};
  there.pop_back();
  return block;
}

}  // namespace mortise_shared_memory
