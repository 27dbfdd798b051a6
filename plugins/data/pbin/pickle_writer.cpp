#include <bit>

#include "pickle_index.hpp"
#include "pickle_opcodes.hpp"

namespace mortise::pbin {

namespace {

// Bytes that Python's pickler collects in one frame, checked before each object.
constexpr std::size_t kFrameTarget = 64 * 1024;
constexpr std::size_t kSmallestFrame = 4;
constexpr std::size_t kBatch = 1000;  // list items between two APPENDS

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i != bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

class Writer {
 public:
  explicit Writer(const std::function<void(std::string_view)>& out) : out_(out) {
    out_(std::string{opcode::kProtocol, '\x04'});
  }

  void raw(char code) { frame_ += code; }

  void object() {
    if (frame_.size() >= kFrameTarget) close_frame();
  }

  void number(std::uint64_t value) {
    object();
    if (value < 1u << 8)
      frame_ += opcode::kInt1 + little_endian(value, 1);
    else if (value < 1u << 16)
      frame_ += opcode::kInt2 + little_endian(value, 2);
    else if (value < 1u << 31)
      frame_ += opcode::kInt4 + little_endian(value, 4);
    else {
      const int bytes = static_cast<int>(std::bit_width(value)) / 8 + 1;  // with its sign
      frame_ += opcode::kLong1 + little_endian(static_cast<std::uint64_t>(bytes), 1) +
                little_endian(value, bytes);
    }
  }

  void pair(std::uint64_t a, std::uint64_t b) {
    object();
    number(a);
    number(b);
    raw(opcode::kPair);
    raw(opcode::kMemoize);
  }

  void end() {
    raw(opcode::kStop);
    close_frame();
  }

 private:
  void close_frame() {
    if (frame_.size() >= kSmallestFrame) out_(opcode::kFrame + little_endian(frame_.size(), 8));
    out_(frame_);
    frame_.clear();
  }

  const std::function<void(std::string_view)>& out_;
  std::string frame_;
};

}  // namespace

void write_index(const std::vector<std::uint64_t>& ends,
                 const std::function<void(std::string_view)>& out) {
  Writer pickle(out);
  pickle.raw(opcode::kEmptyList);
  pickle.raw(opcode::kMemoize);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i != ends.size(); ++i) {
    if (i % kBatch == 0 && ends.size() > 1) pickle.raw(opcode::kMark);
    pickle.pair(begin, ends[i] - begin);
    begin = ends[i];
    if (ends.size() == 1)
      pickle.raw(opcode::kAppend);
    else if (i % kBatch == kBatch - 1 || i + 1 == ends.size())
      pickle.raw(opcode::kAppends);
  }
  pickle.end();
}

}  // namespace mortise::pbin
