#pragma once

// Which pairs of tokens merge, into what, and in which order.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace mortise::bpe {

// `left` followed by `right` becomes `merged`; of all pairs in a word, the one of lowest rank goes
// first.
struct Merge {
  std::uint32_t left;
  std::uint32_t right;
  std::uint32_t rank;
  std::uint32_t merged;
};

// Threads: immutable after construction.
class PairTable {
 public:
  static constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

  struct Found {
    std::uint32_t rank;  // kNoRank: the pair does not merge
    std::uint32_t merged;
  };

  PairTable() : PairTable(std::span<const Merge>()) {}
  // Ranks are below kNoRank. Of merges of the same pair the last one counts.
  explicit PairTable(std::span<const Merge> merges);

  Found find(std::uint32_t left, std::uint32_t right) const noexcept {
    const std::uint64_t pair = std::uint64_t(left) << 32 | right;
    const std::uint64_t hash = hash_of(pair);
    for (std::size_t line = hash >> shift_;; line = (line + 1) & line_mask_)
      for (std::size_t i = 0; i != kSlots; ++i) {
        const Slot& slot = lines_[line].slots[(hash + i) % kSlots];
        if (slot.pair == pair || slot.rank == kNoRank) return {slot.rank, slot.merged};
      }
  }

 private:
  struct Slot {
    std::uint64_t pair = 0;
    std::uint32_t rank = kNoRank;  // free
    std::uint32_t merged = 0;
  };
  // A search looks at the whole of a cache line before it goes on to the next one.
  static constexpr std::size_t kSlots = 4;
  struct alignas(64) Line {
    Slot slots[kSlots];
  };

  std::uint64_t hash_of(std::uint64_t pair) const noexcept {
    const std::uint64_t mixed = (pair ^ salt_) * 0x9E3779B97F4A7C15u;
    return (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
  }
  void insert(const Merge& merge);

  std::uint64_t salt_;  // so that no file can be written whose pairs all meet in one place
  int shift_;
  std::size_t line_mask_;
  std::unique_ptr<Line[]> lines_;
};

}  // namespace mortise::bpe
