#include "partial_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mortise/error.hpp>
#include <utility>

namespace mortise::pbin {

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

// Whether `path` still names the open `file`: whoever had it before may have renamed or removed it.
bool still_names(const std::string& path, int file) {
  struct stat by_name {
  }, by_file{};
  return ::stat(path.c_str(), &by_name) == 0 && ::fstat(file, &by_file) == 0 &&
         by_name.st_ino == by_file.st_ino && by_name.st_dev == by_file.st_dev;
}

}  // namespace

PartialFile::PartialFile(std::string path, Busy busy, Content content)
    : final_path_(std::move(path)), path_(final_path_ + ".partial") {
  while (!lock(busy)) ::close(std::exchange(file_, -1));
  const off_t end = content == Content::keep ? ::lseek(file_, 0, SEEK_END) : 0;
  if (end >= 0 && ::ftruncate(file_, end) == 0) {
    written_ = static_cast<std::uint64_t>(end);
    return;
  }
  ::close(file_);
  fail("cannot be written");
}

bool PartialFile::lock(Busy busy) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail("cannot be written");
  while (::flock(file_, LOCK_EX | (busy == Busy::fail ? LOCK_NB : 0)) != 0) {
    if (errno == EINTR) continue;
    const int reason = errno;
    ::close(file_);
    errno = reason;
    fail(reason == EWOULDBLOCK ? "is being written by another process" : "cannot be locked");
  }
  return still_names(path_, file_);
}

PartialFile::~PartialFile() {
  if (!renamed_ && !stays_) ::unlink(path_.c_str());  // before the lock goes
  ::close(file_);
}

void PartialFile::fail(const char* action) const {
  throw Error(ErrorCode::storage, path_ + " " + action + ": " + std::strerror(errno));
}

void PartialFile::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) write_out();
}

void PartialFile::write_out() {
  write_at(written_, buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

void PartialFile::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot be written");
    offset += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void PartialFile::overwrite(std::uint64_t offset, std::string_view bytes) {
  write_out();
  write_at(offset, bytes);
}

void PartialFile::read(std::uint64_t offset, char* into, std::size_t size) {
  write_out();
  while (size != 0) {
    const ssize_t n = ::pread(file_, into, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot be read");
    into += n;
    offset += static_cast<std::uint64_t>(n);
    size -= static_cast<std::size_t>(n);
  }
}

void PartialFile::cut(std::uint64_t size) {
  write_out();
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0) fail("cannot be cut");
  written_ = size;
}

void PartialFile::sync() {
  write_out();
  if (::fdatasync(file_) != 0) fail("cannot be written");
}

void PartialFile::rename_to_final() {
  if (::rename(path_.c_str(), final_path_.c_str()) != 0) fail("cannot be renamed");
  renamed_ = true;
}

}  // namespace mortise::pbin
