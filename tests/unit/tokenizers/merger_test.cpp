// Merging against the definition: as long as a pair merges, the one of lowest rank does, of equals
// the leftmost.

#include "plugins/data/bpe/merger.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace mortise::bpe;
using Ids = std::vector<std::uint32_t>;

namespace {

// By the definition, in quadratic time.
Ids merged_slowly(const std::vector<Merge>& merges, Ids ids) {
  for (;;) {
    std::size_t best = ids.size();
    const Merge* chosen = nullptr;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i)
      for (const Merge& merge : merges)
        if (merge.left == ids[i] && merge.right == ids[i + 1] &&
            (chosen == nullptr || merge.rank < chosen->rank)) {
          best = i;
          chosen = &merge;
        }
    if (chosen == nullptr) return ids;
    ids[best] = chosen->merged;
    ids.erase(ids.begin() + std::ptrdiff_t(best) + 1);
  }
}

Ids merged(const std::vector<Merge>& merges, Ids ids) {
  const PairTable pairs(merges);
  Merger merger;
  ids.resize(merger.merge(pairs, ids));
  return ids;
}

}  // namespace

TEST_CASE("merger: random merges give what the definition gives, in short and in long words") {
  std::mt19937 random(7);
  for (int round = 0; round != 400; ++round) {
    const std::uint32_t letters = 2 + random() % 4;
    std::vector<Merge> merges;
    std::uint32_t next = letters;
    for (std::uint32_t rank = 0; rank != 12; ++rank) {
      const Merge merge{std::uint32_t(random() % next), std::uint32_t(random() % next), rank, next};
      bool known = false;
      for (const Merge& other : merges)
        known = known || (other.left == merge.left && other.right == merge.right);
      if (known) continue;
      merges.push_back(merge);
      ++next;
    }
    // Ranks need not grow with the token.
    if (round % 2 == 1)
      for (Merge& merge : merges) merge.rank = std::uint32_t(random() % 1000) * 16 + merge.rank;
    for (const std::size_t size : {0, 1, 2, 3, 17, 63, 64, 65, 66, 200}) {
      Ids word(size);
      for (std::uint32_t& id : word) id = std::uint32_t(random() % letters);
      CAPTURE(round);
      CAPTURE(size);
      REQUIRE(merged(merges, word) == merged_slowly(merges, word));
    }
  }
}

TEST_CASE("merger: of merges of the same pair the last one counts") {
  CHECK(merged({{1, 2, 0, 3}, {1, 2, 1, 4}}, {1, 2}) == Ids{4});
}

TEST_CASE("merger: a million equal letters take a moment and end as by hand") {
  // 1 1 -> 2, 2 2 -> 3, …: 2^20 letters end as one token.
  std::vector<Merge> merges;
  for (std::uint32_t i = 1; i <= 20; ++i) merges.push_back({i, i, i, i + 1});
  CHECK(merged(merges, Ids(std::size_t(1) << 20, 1)) == Ids{21});
  CHECK(merged(merges, Ids((std::size_t(1) << 20) - 1, 1)) ==
        Ids{20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
}

TEST_CASE("pair table: finds every pair of many, and no other") {
  std::vector<Merge> merges;
  for (std::uint32_t i = 0; i != 100000; ++i) merges.push_back({i, i * 7 + 1, i, i + 5});
  const PairTable pairs(merges);
  for (const Merge& merge : merges) {
    const PairTable::Found found = pairs.find(merge.left, merge.right);
    REQUIRE(found.rank == merge.rank);
    REQUIRE(found.merged == merge.merged);
    REQUIRE(pairs.find(merge.left, merge.right + 1).rank == PairTable::kNoRank);
  }
  CHECK(PairTable().find(0, 0).rank == PairTable::kNoRank);
}
