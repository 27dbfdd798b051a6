#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

namespace mortise_fsdp {

// Memory for what is as large as a whole group: gathered parameters, gradients on their way.
//
// All of it comes from here, so that what one unit gives back serves the next: once every size was
// there, a step asks the allocator for nothing. Sizes are rounded up by at most an eighth, so that
// groups of about one size share. Must outlive its blocks.
class GroupMemory {
 public:
  // Given back when it dies.
  class Block {
   public:
    Block() = default;
    Block(GroupMemory& memory, at::Tensor bytes) : memory_(&memory), bytes_(std::move(bytes)) {}
    Block(Block&& other) noexcept = default;
    Block& operator=(Block&& other) noexcept {
      give_back();
      memory_ = other.memory_;
      bytes_ = std::move(other.bytes_);
      return *this;
    }
    ~Block() { give_back(); }
    void* data() const { return bytes_.mutable_data_ptr(); }
    // One-dimensional, with whatever was there before.
    at::Tensor as(at::ScalarType type, std::int64_t count) const;

   private:
    void give_back();
    GroupMemory* memory_ = nullptr;
    at::Tensor bytes_;
  };

  Block take(std::int64_t bytes, at::Device device);

 private:
  std::map<std::int64_t, std::vector<at::Tensor>> free_;  // by size
};

}  // namespace mortise_fsdp
