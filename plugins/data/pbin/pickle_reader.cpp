#include <array>
#include <mortise/error.hpp>

#include "pickle_index.hpp"
#include "pickle_opcodes.hpp"

namespace mortise::pbin {

namespace {

class Reader {
 public:
  Reader(std::string_view pickle, const std::string& file,
         const std::function<void(const IndexEntry&)>& each)
      : pickle_(pickle), file_(file), each_(each) {}

  void read() {
    while (step()) {
    }
    if (at_ != pickle_.size()) fail("something follows its end");
    if (!list_ || marked_ || waiting_ != 0 || count_ != 0) fail("it is no complete list");
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw DataError(file_ + ": its document index cannot be read: " + why + " (byte " +
                    std::to_string(at_) + " of the index)");
  }

  std::string_view take(std::size_t n) {
    if (pickle_.size() - at_ < n) fail("it is cut off");
    at_ += n;
    return pickle_.substr(at_ - n, n);
  }

  std::uint64_t number(std::size_t bytes) {
    if (bytes > 8) fail("a number is too large");
    const std::string_view text = take(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- != 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
    return value;
  }

  std::uint64_t signed_number(std::size_t bytes) {
    const std::uint64_t value = number(bytes);
    if (bytes != 0 && (value >> (8 * bytes - 1)) != 0) fail("a number is negative");
    return value;
  }

  void push(std::uint64_t value) {
    if (!list_ || count_ == 2) fail("expected pairs of numbers");
    numbers_[count_++] = value;
  }

  void pair() {
    if (count_ != 2) fail("expected pairs of numbers");
    count_ = 0;
    ++waiting_;
    each_({numbers_[0], numbers_[1]});
  }

  void append(bool marked) {
    if (marked != marked_ || count_ != 0 || (!marked && waiting_ != 1))
      fail("expected a list of pairs");
    marked_ = false;
    waiting_ = 0;
  }

  void header() {
    if (at_ != 1) fail("the protocol stands in the wrong place");
    const std::uint64_t protocol = number(1);
    if (protocol < 2 || protocol > 5) fail("pickle protocol " + std::to_string(protocol));
  }

  void mark() {
    if (!list_ || marked_ || waiting_ != 0) fail("expected a list of pairs");
    marked_ = true;
  }

  void begin_list() {
    if (list_) fail("expected one list");
    list_ = true;
  }

  bool step() {
    const char code = take(1)[0];
    switch (code) {
      case opcode::kProtocol:
        header();
        break;
      case opcode::kFrame:
        take(8);
        break;
      case opcode::kEmptyList:
        begin_list();
        break;
      case opcode::kMemoize:
        break;
      case opcode::kPut1:
        take(1);
        break;
      case opcode::kPut4:
        take(4);
        break;
      case opcode::kMark:
        mark();
        break;
      case opcode::kInt1:
        push(number(1));
        break;
      case opcode::kInt2:
        push(number(2));
        break;
      case opcode::kInt4:
        push(signed_number(4));
        break;
      case opcode::kLong1:
        push(signed_number(number(1)));
        break;
      case opcode::kPair:
        pair();
        break;
      case opcode::kAppend:
        append(false);
        break;
      case opcode::kAppends:
        append(true);
        break;
      case opcode::kStop:
        return false;
      default:
        --at_;
        fail("opcode " + std::to_string(static_cast<unsigned char>(code)) +
             " does not belong to a list of pairs");
    }
    return true;
  }

  std::string_view pickle_;
  const std::string& file_;
  const std::function<void(const IndexEntry&)>& each_;
  std::size_t at_ = 0;
  bool list_ = false, marked_ = false;
  std::size_t waiting_ = 0;  // pairs that no append has taken yet
  std::array<std::uint64_t, 2> numbers_{};
  std::size_t count_ = 0;  // numbers that no pair has taken yet
};

}  // namespace

void read_index(std::string_view pickle, const std::string& file,
                const std::function<void(const IndexEntry&)>& each) {
  Reader(pickle, file, each).read();
}

}  // namespace mortise::pbin
