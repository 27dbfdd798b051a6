#include "encoder.hpp"

#include <algorithm>

namespace mortise::bpe {

namespace {

constexpr std::size_t kBlock = 32;  // words whose cache lines are fetched together

}  // namespace

void Encoder::encode(std::span<const std::string_view> words, const char* text_end,
                     Scratch& scratch, IdList& ids) const {
  while (!words.empty()) {
    const std::size_t n = std::min(words.size(), kBlock);
    encode_block(words.first(n), text_end, scratch, ids);
    words = words.subspan(n);
  }
}

void Encoder::encode_block(std::span<const std::string_view> words, const char* text_end,
                           Scratch& scratch, IdList& ids) const {
  ShortWord keys[kBlock];
  std::uint64_t hashes[kBlock];
  for (std::size_t i = 0; i != words.size(); ++i) {
    if (words[i].size() > ShortWord::kLongest) continue;
    keys[i] = ShortWord::of(words[i], text_end);
    hashes[i] = keys[i].hash();
    scratch.cache_.prefetch(hashes[i]);
  }
  for (std::size_t i = 0; i != words.size(); ++i) {
    if (words[i].size() > ShortWord::kLongest) {
      encode_other(words[i], scratch, ids);
      continue;
    }
    ids.reserve_more(WordCache::kFewIds);
    if (const WordCache::Entry* entry = scratch.cache_.find(keys[i], hashes[i])) {
      std::copy_n(entry->ids, WordCache::kFewIds, ids.end());
      ids.advance(entry->count);
      continue;
    }
    const auto found = scratch.cache_.find_long(words[i]);
    if (!found.empty()) {
      ids.append(found);
      continue;
    }
    const auto made = merged(words[i], scratch);
    if (made.size() <= WordCache::kFewIds)
      scratch.cache_.add(keys[i], hashes[i], made);
    else
      scratch.cache_.add_long(words[i], made);
    ids.append(made);
  }
}

void Encoder::encode_other(std::string_view word, Scratch& scratch, IdList& ids) const {
  if (word.size() > WordCache::kLongestWord) {
    ids.append(merged(word, scratch));
    return;
  }
  const auto found = scratch.cache_.find_long(word);
  if (!found.empty()) {
    ids.append(found);
    return;
  }
  const auto made = merged(word, scratch);
  if (!made.empty()) scratch.cache_.add_long(word, made);
  ids.append(made);
}

std::span<const std::uint32_t> Encoder::merged(std::string_view word, Scratch& scratch) const {
  scratch.word_.clear();
  if (const auto whole = parts_.whole_words.find(word)) {
    scratch.word_.push_back(*whole);
  } else {
    parts_.first_ids(word, scratch.word_);
    scratch.word_.resize(scratch.merger_.merge(parts_.pairs, scratch.word_));
  }
  return scratch.word_;
}

}  // namespace mortise::bpe
