#pragma once

// Ids that are written at high speed: room is made for many at once, and nothing is set to zero.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mortise::bpe {

class IdList {
 public:
  // Makes room for `more` ids: that many may be written at end() before advance().
  void reserve_more(std::size_t more) {
    if (size_ + more > capacity_) grow(size_ + more);
  }
  std::uint32_t* end() { return ids_.get() + size_; }
  void advance(std::size_t written) { size_ += written; }

  void push(std::uint32_t id) {
    reserve_more(1);
    ids_[size_++] = id;
  }
  void append(std::span<const std::uint32_t> ids) {
    reserve_more(ids.size());
    std::copy(ids.begin(), ids.end(), end());
    size_ += ids.size();
  }

  std::size_t size() const { return size_; }
  std::vector<std::uint32_t> to_vector() const { return {ids_.get(), ids_.get() + size_}; }

 private:
  void grow(std::size_t least) {
    const std::size_t capacity = std::max(least, 2 * capacity_);
    auto ids = std::make_unique_for_overwrite<std::uint32_t[]>(capacity);
    std::copy(ids_.get(), ids_.get() + size_, ids.get());
    ids_ = std::move(ids);
    capacity_ = capacity;
  }

  std::unique_ptr<std::uint32_t[]> ids_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace mortise::bpe
