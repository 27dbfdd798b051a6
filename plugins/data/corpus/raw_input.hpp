#pragma once

// A file or standard input as it lies there, read block by block. No memory map: a file that
// somebody cuts while a map of it is read would end the process, and mapped pages count as memory
// of ours.

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::corpus {

// The name that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";

// Whether to end early; asked while standard input has nothing to give.
using StopRequested = std::function<bool()>;

class RawInput {
 public:
  // Errors: DataError naming the file, here and in every call.
  RawInput(std::string path, StopRequested stop);
  ~RawInput();
  RawInput(const RawInput&) = delete;
  RawInput& operator=(const RawInput&) = delete;

  const std::string& path() const { return path_; }
  // The next bytes, lent until the next call; nothing at the end, or when a stop was requested.
  // Errors: also when the file has changed since it was opened.
  std::string_view next_block();
  // The same into memory of the caller: how many bytes came.
  std::size_t read(char* into, std::size_t size);
  std::int64_t bytes_read() const { return bytes_read_; }

 private:
  bool is_readable() const;
  void check_unchanged() const;
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  StopRequested stop_;
  int file_ = -1;
  struct stat opened_ {};
  std::int64_t bytes_read_ = 0;
  std::vector<char> block_;
};

// What tells a file from a later state of it.
struct FileState {
  std::int64_t bytes = 0, changed_ns = 0;
  bool operator==(const FileState&) const = default;
};
// Errors: DataError where there is no regular file of that name.
FileState state_of(const std::string& path);

}  // namespace mortise::corpus
