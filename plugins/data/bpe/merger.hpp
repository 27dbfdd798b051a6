#pragma once

// Merges the tokens of one word.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pair_table.hpp"

namespace mortise::bpe {

// Keeps its working memory from word to word.
//
// Threads: one caller at a time.
class Merger {
 public:
  // Merges `ids` in place until no pair merges any more: the pair of lowest rank first, of equals
  // the leftmost. Returns how many ids are left, at the front. O(n log n).
  // Errors: Error(bad_argument) for a word of 2^32 ids or more.
  std::size_t merge(const PairTable& pairs, std::span<std::uint32_t> ids);

 private:
  struct Symbol {
    std::uint32_t id;
    std::uint32_t previous;
    std::uint32_t next;
    PairTable::Found pair;  // with the next symbol
  };

  std::size_t merge_long(const PairTable& pairs, std::span<std::uint32_t> ids);
  void link(const PairTable& pairs, std::span<const std::uint32_t> ids);
  void pair_up(const PairTable& pairs, std::uint32_t at);
  void push(std::uint32_t at);
  void merge_at(const PairTable& pairs, std::uint32_t at);

  std::vector<Symbol> symbols_;
  std::vector<std::uint64_t> queue_;  // heap of rank << 32 | position, smallest on top
};

}  // namespace mortise::bpe
