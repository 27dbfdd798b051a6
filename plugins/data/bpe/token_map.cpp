#include "token_map.hpp"

#include <bit>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mortise::bpe {

namespace {

std::uint64_t hash_of(std::string_view bytes, std::uint64_t salt) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), salt);
}

}  // namespace

TokenMap::TokenMap(std::size_t expected) {
  std::random_device device;
  salt_ = std::uint64_t(device()) << 32 | device();
  slots_.resize(std::bit_ceil(2 * expected + 2));
}

bool TokenMap::insert(std::string_view bytes, std::uint32_t id) {
  if (2 * tokens_.size() >= slots_.size()) grow(2 * slots_.size());
  const std::uint64_t hash = hash_of(bytes, salt_);
  Slot& slot = slots_[slot_of(bytes, hash)];
  if (slot.token != 0) return false;
  tokens_.push_back({bytes_.size(), std::uint32_t(bytes.size()), id});
  bytes_ += bytes;
  slot = {std::uint32_t(hash >> 32), std::uint32_t(tokens_.size())};
  return true;
}

std::optional<std::uint32_t> TokenMap::find(std::string_view bytes) const {
  const Slot& slot = slots_[slot_of(bytes, hash_of(bytes, salt_))];
  if (slot.token == 0) return std::nullopt;
  return tokens_[slot.token - 1].id;
}

// Where `bytes` stands or would stand.
std::size_t TokenMap::slot_of(std::string_view bytes, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].token != 0 && !(slots_[at].hash == std::uint32_t(hash >> 32) &&
                                    bytes_of(tokens_[slots_[at].token - 1]) == bytes))
    at = (at + 1) & mask;
  return at;
}

void TokenMap::grow(std::size_t slots) {
  slots_.assign(slots, Slot());
  for (std::size_t i = 0; i != tokens_.size(); ++i) {
    const std::uint64_t hash = hash_of(bytes_of(tokens_[i]), salt_);
    std::size_t at = hash & (slots - 1);
    while (slots_[at].token != 0) at = (at + 1) & (slots - 1);
    slots_[at] = {std::uint32_t(hash >> 32), std::uint32_t(i + 1)};
  }
}

}  // namespace mortise::bpe
