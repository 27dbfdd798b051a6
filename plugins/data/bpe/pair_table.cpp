#include "pair_table.hpp"

#include <bit>
#include <random>

namespace mortise::bpe {

namespace {

std::uint64_t random_salt() {
  std::random_device device;
  return std::uint64_t(device()) << 32 | device();
}

}  // namespace

PairTable::PairTable(std::span<const Merge> merges) : salt_(random_salt()) {
  // At most half full, so that a search for what is not there ends soon; two lines at least, as no
  // shift by 64 is allowed.
  const std::size_t lines = std::bit_ceil(merges.size() / (kSlots / 2) + 2);
  shift_ = 64 - std::countr_zero(lines);
  line_mask_ = lines - 1;
  lines_ = std::make_unique<Line[]>(lines);
  for (const Merge& merge : merges) insert(merge);
}

void PairTable::insert(const Merge& merge) {
  const std::uint64_t pair = std::uint64_t(merge.left) << 32 | merge.right;
  const std::uint64_t hash = hash_of(pair);
  for (std::size_t line = hash >> shift_;; line = (line + 1) & line_mask_)
    for (std::size_t i = 0; i != kSlots; ++i) {
      Slot& slot = lines_[line].slots[(hash + i) % kSlots];
      if (slot.rank != kNoRank && slot.pair != pair) continue;
      slot = {pair, merge.rank, merge.merged};
      return;
    }
}

}  // namespace mortise::bpe
