#pragma once

// A piece of an input: whole lines of records, or one whole document.

#include <cstdint>
#include <string_view>
#include <vector>

namespace mortise::corpus {

// Bytes behind which simdjson may read some more.
struct TextBuffer {
  static constexpr std::size_t kPadding = 64;
  std::vector<char> room;  // at least kPadding more than size
  std::size_t size = 0;
  std::string_view text() const { return {room.data(), size}; }
};

struct TextBatch {
  std::size_t source = 0;  // index of its file
  bool is_jsonl = false;
  TextBuffer buffer;
  std::int64_t first_line = 1;
  // Where the next batch begins: bytes of the file's text, and its first line.
  std::int64_t end_offset = 0, next_line = 1;
  bool ends_source = false;
  std::int64_t raw_bytes = 0;  // of all files that are read, before decompression
};

}  // namespace mortise::corpus
