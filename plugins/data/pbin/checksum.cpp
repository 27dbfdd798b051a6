#include "checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mortise::pbin {

namespace {

std::string hex(const unsigned char* bytes, std::size_t n) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i != n; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

struct Checksum::State {
  XXH3_state_t xxh3;  // both lengths of digest come from one state
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh3); }
Checksum::~Checksum() = default;

void Checksum::add(std::string_view bytes) {
  XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

std::string Checksum::hex64() const {
  XXH64_canonical_t canonical;
  XXH64_canonicalFromHash(&canonical, XXH3_64bits_digest(&state_->xxh3));
  return hex(canonical.digest, sizeof canonical.digest);
}

std::string Checksum::hex128() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->xxh3));
  return hex(canonical.digest, sizeof canonical.digest);
}

std::array<std::uint64_t, 2> Checksum::words128() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(&state_->xxh3);
  return {digest.low64, digest.high64};
}

}  // namespace mortise::pbin
