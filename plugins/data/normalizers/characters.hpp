#pragma once

// Walks over valid UTF-8 character by character.

#include <cstdint>
#include <string>
#include <string_view>

namespace mortise::normalizers {

inline std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The character at `at`, whose size is `size`.
inline std::uint32_t character(std::string_view text, std::size_t at, std::size_t size) {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t(static_cast<unsigned char>(text[at + i]));
  };
  if (size == 1) return byte(0);
  std::uint32_t value = byte(0) & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i != size; ++i) value = value << 6 | (byte(i) & 0x3F);
  return value;
}

inline void append(std::string& text, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

// Calls each(character, the text of it) from the first to the last.
template <class Each>
void for_each_character(std::string_view text, Each&& each) {
  for (std::size_t at = 0, size; at < text.size(); at += size) {
    size = character_size(text[at]);
    each(character(text, at, size), text.substr(at, size));
  }
}

}  // namespace mortise::normalizers
