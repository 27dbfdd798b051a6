#include "group_memory.hpp"

#include <ATen/ops/empty.h>

#include <bit>

namespace mortise_fsdp {
namespace {

// Up to a multiple of an eighth of the largest power of two in it.
std::int64_t rounded(std::int64_t bytes) {
  const auto eighth =
      std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(bytes, 8)))) / 8;
  return (bytes + eighth - 1) / eighth * eighth;
}

}  // namespace

GroupMemory::Block GroupMemory::take(std::int64_t bytes, at::Device device) {
  const std::int64_t size = rounded(bytes);
  std::vector<at::Tensor>& free = free_[size];
  if (free.empty()) return {*this, at::empty({size}, at::TensorOptions(device).dtype(at::kByte))};
  Block block(*this, std::move(free.back()));
  free.pop_back();
  return block;
}

at::Tensor GroupMemory::Block::as(at::ScalarType type, std::int64_t count) const {
  return bytes_.narrow(0, 0, count * std::int64_t(at::elementSize(type))).view(type);
}

void GroupMemory::Block::give_back() {
  if (bytes_.defined()) memory_->free_[bytes_.numel()].push_back(std::move(bytes_));
  bytes_.reset();
}

}  // namespace mortise_fsdp
