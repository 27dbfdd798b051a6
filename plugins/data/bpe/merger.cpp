#include "merger.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <mortise/error.hpp>

namespace mortise::bpe {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kShort = 64;                   // up to here, looking at every pair is faster
constexpr std::size_t kKept = std::size_t(1) << 20;  // symbols whose memory waits for the next word

std::size_t merge_short(const PairTable& pairs, std::span<std::uint32_t> ids) {
  PairTable::Found found[kShort];
  std::size_t n = ids.size();
  for (std::size_t i = 0; i + 1 < n; ++i) found[i] = pairs.find(ids[i], ids[i + 1]);
  while (n > 1) {
    std::size_t best = 0;
    std::uint32_t rank = found[0].rank;
    for (std::size_t i = 1; i + 1 < n; ++i)
      if (found[i].rank < rank) rank = found[best = i].rank;
    if (rank == PairTable::kNoRank) break;
    ids[best] = found[best].merged;
    --n;
    std::memmove(&ids[best + 1], &ids[best + 2], (n - best - 1) * sizeof ids[0]);
    std::memmove(&found[best], &found[best + 1], (n - best - 1) * sizeof found[0]);
    if (best > 0) found[best - 1] = pairs.find(ids[best - 1], ids[best]);
    if (best + 1 < n) found[best] = pairs.find(ids[best], ids[best + 1]);
  }
  return n;
}

}  // namespace

std::size_t Merger::merge(const PairTable& pairs, std::span<std::uint32_t> ids) {
  if (ids.size() < 2) return ids.size();
  return ids.size() <= kShort ? merge_short(pairs, ids) : merge_long(pairs, ids);
}

std::size_t Merger::merge_long(const PairTable& pairs, std::span<std::uint32_t> ids) {
  if (ids.size() >= kNone)
    throw Error(ErrorCode::bad_argument, "a word of " + std::to_string(ids.size()) +
                                             " bytes: expected less than 4294967295");
  link(pairs, ids);
  while (!queue_.empty()) {
    const std::uint64_t top = queue_.front();
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    queue_.pop_back();
    const auto at = std::uint32_t(top);
    if (symbols_[at].pair.rank == top >> 32) merge_at(pairs, at);  // else it is out of date
  }
  std::size_t n = 0;
  for (std::uint32_t at = 0; at != kNone; at = symbols_[at].next) ids[n++] = symbols_[at].id;
  if (symbols_.size() > kKept) {
    symbols_ = {};
    queue_ = {};
  }
  return n;
}

void Merger::link(const PairTable& pairs, std::span<const std::uint32_t> ids) {
  const auto n = std::uint32_t(ids.size());
  symbols_.resize(n);
  queue_.clear();
  for (std::uint32_t i = 0; i != n; ++i)
    symbols_[i] = {ids[i], i - 1, i + 1 == n ? kNone : i + 1, {PairTable::kNoRank, 0}};
  for (std::uint32_t i = 0; i != n; ++i) {
    pair_up(pairs, i);
    if (symbols_[i].pair.rank != PairTable::kNoRank)
      queue_.push_back(std::uint64_t(symbols_[i].pair.rank) << 32 | i);
  }
  std::make_heap(queue_.begin(), queue_.end(), std::greater<>());
}

void Merger::pair_up(const PairTable& pairs, std::uint32_t at) {
  Symbol& symbol = symbols_[at];
  symbol.pair.rank = PairTable::kNoRank;
  if (symbol.next != kNone) symbol.pair = pairs.find(symbol.id, symbols_[symbol.next].id);
}

void Merger::push(std::uint32_t at) {
  if (symbols_[at].pair.rank == PairTable::kNoRank) return;
  queue_.push_back(std::uint64_t(symbols_[at].pair.rank) << 32 | at);
  std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
}

void Merger::merge_at(const PairTable& pairs, std::uint32_t at) {
  Symbol& symbol = symbols_[at];
  Symbol& right = symbols_[symbol.next];
  symbol.id = symbol.pair.merged;
  symbol.next = right.next;
  right.pair.rank = PairTable::kNoRank;  // it is no more
  if (symbol.next != kNone) symbols_[symbol.next].previous = at;
  pair_up(pairs, at);
  push(at);
  if (symbol.previous == kNone) return;
  pair_up(pairs, symbol.previous);
  push(symbol.previous);
}

}  // namespace mortise::bpe
