#pragma once

// A rank file for tests: the 256 bytes in order, then what is given.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mortise::tests {

inline std::string to_base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i != 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i != 4; ++i)
      text += at + i > bytes.size() ? '=' : digits[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

inline std::string rank_line(std::string_view token, std::uint32_t rank) {
  return to_base64(token) + " " + std::to_string(rank) + "\n";
}

inline std::string small_ranks(std::initializer_list<std::string_view> more = {}) {
  std::string file;
  for (std::uint32_t byte = 0; byte != 256; ++byte)
    file += rank_line(std::string(1, static_cast<char>(byte)), byte);
  std::uint32_t rank = 256;
  for (const std::string_view token : more) file += rank_line(token, rank++);
  return file;
}

}  // namespace mortise::tests
