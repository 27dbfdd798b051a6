#pragma once

// A piece of an input: whole lines of records, or one whole document.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace mortise::corpus {

// Bytes behind which simdjson may read some more. Memory is not set before it is read into.
class TextBuffer {
 public:
  static constexpr std::size_t kPadding = 64;

  std::string_view text() const { return {room_.get(), size_}; }
  char* data() { return room_.get(); }
  std::size_t size() const { return size_; }
  void set_size(std::size_t size) { size_ = size; }  // within what is reserved
  void reserve(std::size_t size) {
    if (size <= reserved_ && room_) return;
    std::unique_ptr<char[]> larger(new char[size + kPadding]);
    std::copy_n(room_.get(), size_, larger.get());
    room_ = std::move(larger);
    reserved_ = size;
  }

 private:
  std::unique_ptr<char[]> room_;
  std::size_t size_ = 0, reserved_ = 0;
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
