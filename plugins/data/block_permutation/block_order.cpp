#include "block_order.hpp"

#include <algorithm>
#include <mortise/random.hpp>

namespace mortise::order {

BlockOrder::BlockOrder(std::int64_t samples, std::int64_t block, std::int64_t window,
                       std::uint64_t key)
    : samples_(samples),
      block_(block),
      window_(window),
      blocks_((samples + block - 1) / block),
      short_place_(-1),
      key_(key) {
  if (samples_ % block_ != 0)
    short_place_ = std::int64_t(random::bits(key_, 1) % std::uint64_t(blocks_));
  const std::int64_t whole = samples_ / block_;
  if (whole < kSmallestFeistel)
    few_ = shuffled(whole, random::bits(key_, 2));
  else
    many_.emplace(whole, random::bits(key_, 2));
}

// The shorter block is the last one of the samples, and stands at a place of its own.
std::int64_t BlockOrder::block_at(std::int64_t place) const {
  if (place == short_place_) return blocks_ - 1;
  if (short_place_ >= 0 && place > short_place_) --place;
  return many_ ? (*many_)(place) : few_[std::size_t(place)];
}

std::int64_t BlockOrder::begin_of(std::int64_t window) const {
  const std::int64_t blocks = std::min(window * window_, blocks_);
  const bool lacks = short_place_ >= 0 && short_place_ < blocks;
  return blocks * block_ - (lacks ? blocks_ * block_ - samples_ : 0);
}

std::int64_t BlockOrder::window_of(std::int64_t place) const {
  const std::int64_t window = place / (window_ * block_);
  return place < begin_of(window + 1) ? window : window + 1;
}

std::vector<std::int64_t> BlockOrder::samples_of(std::int64_t window) const {
  std::vector<std::int64_t> all;
  const std::int64_t end = std::min((window + 1) * window_, blocks_);
  for (std::int64_t place = window * window_; place != end; ++place) {
    const std::int64_t first = block_at(place) * block_;
    for (std::int64_t i = first; i != std::min(first + block_, samples_); ++i) all.push_back(i);
  }
  std::vector<std::int64_t> visited;
  visited.reserve(all.size());
  const std::uint64_t key = random::bits(random::bits(key_, 3), std::uint64_t(window));
  for (const std::int64_t i : shuffled(std::int64_t(all.size()), key))
    visited.push_back(all[std::size_t(i)]);
  return visited;
}

}  // namespace mortise::order
