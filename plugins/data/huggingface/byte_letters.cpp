#include "byte_letters.hpp"

#include <array>

#include "../unicode/tables.hpp"

namespace mortise::huggingface {

namespace {

bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Letters {
  std::array<std::string, 256> letters;
  std::array<std::int16_t, 512> bytes;  // -1: no byte

  Letters() {
    bytes.fill(-1);
    unsigned next = 256;
    for (unsigned byte = 0; byte != 256; ++byte) {
      const unsigned c = stands_for_itself(byte) ? byte : next++;
      bytes[c] = std::int16_t(byte);
      if (c < 0x80)
        letters[byte] = {char(c)};
      else
        letters[byte] = {char(0xC0 | c >> 6), char(0x80 | (c & 0x3F))};
    }
  }
};

const Letters& letters() {
  static const Letters all;
  return all;
}

}  // namespace

std::string_view letter_of(unsigned char byte) { return letters().letters[byte]; }

std::string to_letters(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) text += letter_of(static_cast<unsigned char>(c));
  return text;
}

std::optional<std::string> from_letters(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at != text.size();) {
    const unicode::Character c = unicode::character_at(text.data() + at);
    if (c.value >= 512 || letters().bytes[c.value] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(letters().bytes[c.value]));
    at += c.size;
  }
  return bytes;
}

}  // namespace mortise::huggingface
