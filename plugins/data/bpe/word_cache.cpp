#include "word_cache.hpp"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mortise::bpe {

WordCache::WordCache() : sets_(std::make_unique<Set[]>(std::size_t(1) << kSetBits)) {}

void WordCache::add(const ShortWord& word, std::uint64_t hash, std::span<const std::uint32_t> ids) {
  Set& set = sets_[set_of(hash)];
  set.entries[1] = set.entries[0];
  Entry& entry = set.entries[0];
  entry.word = word;
  entry.count = std::uint32_t(ids.size());
  std::copy(ids.begin(), ids.end(), entry.ids);
}

std::span<const std::uint32_t> WordCache::find_long(std::string_view word) const {
  if (long_slots_.empty()) return {};
  const LongSlot& slot = long_slots_[long_slot(word, XXH3_64bits(word.data(), word.size()))];
  if (slot.place == 0) return {};
  const std::uint32_t* record = &records_[slot.place - 1];
  return {record + 1, record[0] >> 16};
}

void WordCache::add_long(std::string_view word, std::span<const std::uint32_t> ids) {
  const std::size_t words = 1 + ids.size() + (word.size() + 3) / 4;
  if (long_slots_.empty() || long_words_ == kLongSlots / 2 ||
      records_.size() + words > kRecordWords)
    forget_long();
  const std::uint64_t hash = XXH3_64bits(word.data(), word.size());
  LongSlot& slot = long_slots_[long_slot(word, hash)];
  slot = {std::uint32_t(hash >> 32), std::uint32_t(records_.size() + 1)};
  records_.push_back(std::uint32_t(ids.size() << 16 | word.size()));
  records_.insert(records_.end(), ids.begin(), ids.end());
  const std::size_t at = records_.size();
  records_.resize(at + (word.size() + 3) / 4);
  std::memcpy(&records_[at], word.data(), word.size());
  ++long_words_;
}

std::size_t WordCache::long_slot(std::string_view word, std::uint64_t hash) const {
  std::size_t at = hash % kLongSlots;
  for (; long_slots_[at].place != 0; at = (at + 1) % kLongSlots) {
    if (long_slots_[at].hash != std::uint32_t(hash >> 32)) continue;
    const std::uint32_t* record = &records_[long_slots_[at].place - 1];
    const std::size_t ids = record[0] >> 16;
    if ((record[0] & 0xFFFF) == word.size() &&
        std::memcmp(record + 1 + ids, word.data(), word.size()) == 0)
      break;
  }
  return at;
}

void WordCache::forget_long() {
  long_slots_.assign(kLongSlots, LongSlot());
  records_.clear();
  records_.reserve(kRecordWords);
  long_words_ = 0;
}

}  // namespace mortise::bpe
