#include "raw_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mortise/error.hpp>
#include <utility>

namespace mortise::corpus {

namespace {

constexpr std::size_t kBlockBytes = 1 << 18;
constexpr int kWaitMs = 50;

FileState state_of(const struct stat& status) {
  return {status.st_size, std::int64_t(status.st_mtim.tv_sec) * 1'000'000'000 +
                              std::int64_t(status.st_mtim.tv_nsec)};
}

void require_regular(const struct stat& status, const std::string& path) {
  if (S_ISDIR(status.st_mode)) throw DataError(path + " is a folder: expected a file");
  if (!S_ISREG(status.st_mode))
    throw DataError(path + " is not a regular file: give - to read standard input");
}

}  // namespace

RawInput::RawInput(std::string path, StopRequested stop)
    : path_(std::move(path)), stop_(std::move(stop)), block_(kBlockBytes) {
  if (path_ == kStandardInput) {
    file_ = STDIN_FILENO;
    return;
  }
  // Without O_NONBLOCK a named pipe would wait for a writer here.
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) fail("");
  try {
    if (::fstat(file_, &opened_) != 0) fail("");
    require_regular(opened_, path_);
  } catch (...) {
    ::close(file_);
    throw;
  }
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

RawInput::~RawInput() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

void RawInput::fail(const char* what) const {
  throw DataError(path_ + what + ": " + std::strerror(errno));
}

bool RawInput::is_readable() const {
  if (file_ != STDIN_FILENO) return true;
  pollfd input{file_, POLLIN, 0};
  return ::poll(&input, 1, kWaitMs) > 0;
}

std::string_view RawInput::next_block() {
  return {block_.data(), read(block_.data(), block_.size())};
}

std::size_t RawInput::read(char* into, std::size_t size) {
  while (!(stop_ && stop_())) {
    if (!is_readable()) continue;
    const ssize_t n = ::read(file_, into, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(" cannot be read");
    if (n == 0 && file_ != STDIN_FILENO) check_unchanged();
    bytes_read_ += n;
    return static_cast<std::size_t>(n);
  }
  return 0;
}

void RawInput::check_unchanged() const {
  struct stat now {};
  if (::fstat(file_, &now) != 0) fail("");
  const FileState before = state_of(opened_), after = state_of(now);
  if (before == after && bytes_read_ == before.bytes) return;
  throw DataError(path_ + " changed while it was read: it had " + std::to_string(before.bytes) +
                  " bytes, now " + std::to_string(after.bytes) +
                  "; wait until it is complete and run again");
}

FileState state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw DataError(path + ": " + std::strerror(errno));
  require_regular(status, path);
  return state_of(status);
}

}  // namespace mortise::corpus
