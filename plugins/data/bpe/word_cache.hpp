#pragma once

// Remembers the ids of words. Its size is fixed; a new word may push out an older one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace mortise::bpe {

// A word of up to 15 bytes as a number: its bytes, zeros, and its length in the last byte.
struct ShortWord {
  static constexpr std::size_t kLongest = 15;

  std::uint64_t low;
  std::uint64_t high;

  // `text_end` is where the bytes that may be read end, at or after the end of `word`.
  static ShortWord of(std::string_view word, const char* text_end) {
    ShortWord key;
    if (text_end - word.data() >= 16) {
      std::memcpy(&key, word.data(), 16);
      const std::size_t bits = 8 * word.size();
      const bool spills = bits >= 64;
      key.low &= spills ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
      key.high &= spills ? (std::uint64_t(1) << (bits - 64)) - 1 : 0;
    } else {
      key = {0, 0};
      std::memcpy(&key, word.data(), word.size());
    }
    key.high |= std::uint64_t(word.size()) << 56;
    return key;
  }

  std::uint64_t hash() const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide(low ^ 0x9E3779B97F4A7C15u) * (high ^ 0xD6E8FEB86659FD93u);
    return std::uint64_t(product) ^ std::uint64_t(product >> 64);
  }

  bool operator==(const ShortWord&) const = default;
};

// Threads: one caller at a time.
class WordCache {
 public:
  // More ids than this, or more bytes than ShortWord::kLongest, and find_long() has the word.
  static constexpr std::size_t kFewIds = 3;
  // Longer words are not remembered.
  static constexpr std::size_t kLongestWord = 256;

  struct alignas(32) Entry {
    ShortWord word;
    std::uint32_t ids[kFewIds];
    std::uint32_t count;
  };

  WordCache();

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&sets_[set_of(hash)]); }
  // Null: not there.
  const Entry* find(const ShortWord& word, std::uint64_t hash) const {
    const Set& set = sets_[set_of(hash)];
    if (set.entries[0].word == word) return &set.entries[0];
    if (set.entries[1].word == word) return &set.entries[1];
    return nullptr;
  }
  void add(const ShortWord& word, std::uint64_t hash, std::span<const std::uint32_t> ids);

  // Empty: not there. Valid until the next add_long().
  std::span<const std::uint32_t> find_long(std::string_view word) const;
  // `ids` is not empty.
  void add_long(std::string_view word, std::span<const std::uint32_t> ids);

 private:
  // Newest first; one cache line.
  struct alignas(64) Set {
    Entry entries[2];
  };
  struct LongSlot {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // in records_, plus one; 0: free
  };
  // In records_: byte length and id count in one word, the ids, the bytes.
  static constexpr int kSetBits = 15;
  static constexpr std::size_t kLongSlots = std::size_t(1) << 16;
  static constexpr std::size_t kRecordWords = std::size_t(1) << 20;

  static std::size_t set_of(std::uint64_t hash) { return hash >> (64 - kSetBits); }
  std::size_t long_slot(std::string_view word, std::uint64_t hash) const;
  void forget_long();

  std::unique_ptr<Set[]> sets_;
  std::vector<LongSlot> long_slots_;
  std::vector<std::uint32_t> records_;
  std::size_t long_words_ = 0;
};

}  // namespace mortise::bpe
