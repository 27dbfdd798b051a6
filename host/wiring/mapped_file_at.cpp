#include "host/wiring/mapped_file_at.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstring>

namespace mortise::host {
namespace {

// Hands out the lines of a descriptor; a line that is longer than the memory is cut.
class Lines {
 public:
  Lines(int descriptor, char* memory, std::size_t size)
      : descriptor_(descriptor), memory_(memory), size_(size) {}

  bool next(std::string_view& line) {
    std::memmove(memory_, memory_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (true) {
      const void* newline = std::memchr(memory_, '\n', end_);
      if (newline != nullptr || end_ == size_) {
        const std::size_t length =
            newline == nullptr ? end_ : std::size_t(static_cast<const char*>(newline) - memory_);
        line = {memory_, length};
        begin_ = length + (newline != nullptr);
        return true;
      }
      const ssize_t got = read(descriptor_, memory_ + end_, size_ - end_);
      if (got <= 0) return false;
      end_ += std::size_t(got);
    }
  }

 private:
  int descriptor_;
  char* memory_;
  std::size_t size_, begin_ = 0, end_ = 0;
};

// "7f0000000000-7f0000001000 r--s 00000000 fe:00 1234    /folder/file"
bool holds(std::string_view line, std::uintptr_t address) {
  std::uintptr_t begin = 0, end = 0;
  const char* last = line.data() + line.size();
  const auto first = std::from_chars(line.data(), last, begin, 16);
  if (first.ptr == last || *first.ptr != '-') return false;
  std::from_chars(first.ptr + 1, last, end, 16);
  return address >= begin && address < end;
}

}  // namespace

std::string_view mapped_file_at(const void* address, char* memory, std::size_t size) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return {};
  Lines lines(maps, memory, size);
  std::string_view line, file;
  while (lines.next(line)) {
    if (!holds(line, reinterpret_cast<std::uintptr_t>(address))) continue;
    const std::size_t path = line.find('/');
    if (path != line.npos) file = line.substr(path);
    break;
  }
  close(maps);
  return file;
}

}  // namespace mortise::host
