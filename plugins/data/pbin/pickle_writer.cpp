#include <bit>
#include <utility>

#include "pickle_index.hpp"
#include "pickle_opcodes.hpp"

namespace mortise::pbin {

namespace {

// Bytes that Python's pickler collects in one frame, checked before each object.
constexpr std::size_t kFrameTarget = 64 * 1024;
constexpr std::size_t kSmallestFrame = 4;
constexpr std::size_t kBatch = 1000;  // list items between two APPENDS

void append_number(std::string& text, std::uint64_t value, int bytes) {
  for (int i = 0; i != bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

IndexWriter::IndexWriter(std::function<void(std::string_view)> out) : out_(std::move(out)) {
  out_(std::string{opcode::kProtocol, '\x04'});
  frame_ += opcode::kEmptyList;
  frame_ += opcode::kMemoize;
}

void IndexWriter::add(const IndexEntry& entry) {
  // Python writes a list of one item in another way: it must be known whether there is a second.
  if (entries_++ == 0) {
    first_ = entry;
    return;
  }
  if (entries_ == 2) {
    frame_ += opcode::kMark;
    pair(first_);
  } else if ((entries_ - 1) % kBatch == 0) {
    frame_ += opcode::kAppends;
    frame_ += opcode::kMark;
  }
  pair(entry);
}

void IndexWriter::end() {
  if (entries_ == 1) {
    pair(first_);
    frame_ += opcode::kAppend;
  } else if (entries_ > 1) {
    frame_ += opcode::kAppends;
  }
  frame_ += opcode::kStop;
  close_frame();
}

void IndexWriter::pair(const IndexEntry& entry) {
  object();
  number(entry.offset);
  number(entry.length);
  frame_ += opcode::kPair;
  frame_ += opcode::kMemoize;
}

void IndexWriter::number(std::uint64_t value) {
  object();
  if (value < 1u << 8) {
    frame_ += opcode::kInt1;
    append_number(frame_, value, 1);
  } else if (value < 1u << 16) {
    frame_ += opcode::kInt2;
    append_number(frame_, value, 2);
  } else if (value < 1u << 31) {
    frame_ += opcode::kInt4;
    append_number(frame_, value, 4);
  } else {
    const int bytes = static_cast<int>(std::bit_width(value)) / 8 + 1;  // with its sign
    frame_ += opcode::kLong1;
    append_number(frame_, static_cast<std::uint64_t>(bytes), 1);
    append_number(frame_, value, bytes);
  }
}

void IndexWriter::object() {
  if (frame_.size() >= kFrameTarget) close_frame();
}

void IndexWriter::close_frame() {
  if (frame_.size() >= kSmallestFrame) {
    std::string head(1, opcode::kFrame);
    append_number(head, frame_.size(), 8);
    out_(head);
  }
  out_(frame_);
  frame_.clear();
}

void write_index(const std::vector<std::uint64_t>& ends,
                 const std::function<void(std::string_view)>& out) {
  IndexWriter index(out);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    index.add({begin, end - begin});
    begin = end;
  }
  index.end();
}

}  // namespace mortise::pbin
