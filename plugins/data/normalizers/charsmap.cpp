#include "charsmap.hpp"

#include <cstring>
#include <mortise/error.hpp>

#include "../encoding/utf8.hpp"

namespace mortise::normalizers {

namespace {

// A unit of Darts-clone's double array: for a value its top bit is set; else the low byte (and the
// top bit) is the label, bit 8 tells that a value follows, the rest is the offset of the children.
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFFu; }
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000FFu; }
bool has_value(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t offset_of(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200u) >> 6); }
bool is_value(std::uint32_t unit) { return unit >> 31 != 0; }

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

void refuse(const std::string& what) { throw DataError("precompiled_charsmap: " + what); }

}  // namespace

Charsmap::Charsmap(std::string bytes) {
  if (bytes.size() < 4) refuse("expected at least 4 bytes, got " + std::to_string(bytes.size()));
  const std::size_t trie = read_u32(bytes), left = bytes.size() - 4;
  if (trie > left || trie % 1024 != 0 || trie == 0)
    refuse("a double array of " + std::to_string(trie) + " bytes, expected a multiple of 1024 in " +
           std::to_string(left) + " bytes");
  units_.resize(trie / 4);
  std::memcpy(units_.data(), bytes.data() + 4, trie);
  replacements_ = bytes.substr(4 + trie);
  if (replacements_.empty() || replacements_.back() != '\0')
    refuse("expected a zero byte at its end");
  for (std::size_t at = 0; at != replacements_.size();) {
    const encoding::Utf8Sequence sequence = encoding::utf8_at(replacements_, at);
    if (sequence.kind != encoding::Utf8::valid)
      refuse("byte " + std::to_string(at) + " of the replacements is no UTF-8");
    at += sequence.size;
  }
  check_units();
}

// Whatever way a text leads through the units, it stays within them and within the replacements.
void Charsmap::check_units() const {
  for (std::uint32_t i = 0; i != units_.size(); ++i) {
    if (is_value(units_[i])) continue;
    const std::uint32_t children = i ^ offset_of(units_[i]);
    if ((children | 0xFFu) >= units_.size())
      refuse("unit " + std::to_string(i) + " leads out of the double array");
    if (!has_value(units_[i])) continue;
    const std::uint32_t value = value_of(units_[children]);
    if (value >= replacements_.size())
      refuse("unit " + std::to_string(i) + " leads out of the replacements");
    if ((static_cast<unsigned char>(replacements_[value]) & 0xC0) == 0x80)
      refuse("unit " + std::to_string(i) + " leads into the middle of a character");
  }
}

std::optional<std::string_view> Charsmap::shortest(std::string_view text) const {
  std::uint32_t at = offset_of(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) break;
    at ^= byte;
    const std::uint32_t unit = units_[at];
    if (label_of(unit) != byte) break;
    at ^= offset_of(unit);
    if (has_value(unit)) return replacements_.data() + value_of(units_[at]);
  }
  return std::nullopt;
}

}  // namespace mortise::normalizers
