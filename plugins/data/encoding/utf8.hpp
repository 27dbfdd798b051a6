#pragma once

// Walks over UTF-8 that may be broken.

#include <cstddef>
#include <string>
#include <string_view>

namespace mortise::encoding {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8 { valid, invalid, incomplete };

// What stands at `at`: a valid sequence of `size` bytes, bytes that no sequence goes on from (the
// longest beginning of one, or a single byte), or the beginning of a sequence that the end of the
// text cuts off (size: what is there of it).
struct Utf8Sequence {
  Utf8 kind;
  std::size_t size;
};
Utf8Sequence utf8_at(std::string_view text, std::size_t at);

// `text` with a replacement character for each invalid or cut-off sequence.
std::string valid_utf8(std::string_view text);

}  // namespace mortise::encoding
