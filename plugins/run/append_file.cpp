#include "append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mortise/error.hpp>

namespace mortise {

void AppendFile::fail() const {
  throw Error(ErrorCode::storage, path_ + " cannot be written: " + std::strerror(errno));
}

void AppendFile::open(const std::string& path) {
  close();
  path_ = path;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail();
}

void AppendFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void AppendFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool AppendFile::keep_whole_lines() {
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail();
  char last = 0;
  off_t end = status.st_size;
  while (end > 0 && ::pread(file_, &last, 1, end - 1) == 1 && last != '\n') --end;
  if (end != status.st_size && ::ftruncate(file_, end) != 0) fail();
  return end > 0;
}

}  // namespace mortise
