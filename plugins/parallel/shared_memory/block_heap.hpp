#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace mortise_shared_memory {

// Deals out a heap that grows at its end. Blocks come in few sizes, so that what is given back
// fits what is asked for next, and the heap ends at the most that was ever in use.
class BlockHeap {
 public:
  struct Block {
    std::uint64_t offset = 0, size = 0;
  };
  // At least `bytes`. What lies beyond end() before the call has to be made by the caller.
  Block take(std::uint64_t bytes);
  void give_back(const Block& block) { free_[block.size].push_back(block.offset); }
  std::uint64_t end() const { return end_; }

 private:
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_;  // offsets by size
  std::uint64_t end_ = 0;
};

}  // namespace mortise_shared_memory
