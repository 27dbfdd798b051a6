#include "host/loading/elf/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace mortise::host {
namespace {

std::string system_text(int error) { return std::generic_category().message(error); }

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "no regular file";
}

FileIdentity identity_of(const struct stat& status) {
  return {
      static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
      static_cast<std::uint64_t>(status.st_size),
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

[[noreturn]] void refuse_unopened(int error) {
  if (error == ENOENT || error == ENOTDIR)
    throw FileFault("does not exist", "a plugin file", system_text(error),
                    "check the path; relative paths count from the file that names them");
  if (error == ENXIO)
    throw FileFault("is a socket", "a regular file", "a socket", "give the plugin's .so file");
  throw FileFault("cannot be opened", "a readable file", system_text(error),
                  "check its permissions and those of its folders");
}

}  // namespace

FileSource::FileSource(const std::filesystem::path& file, std::uint64_t limit) {
  // Not blocking: opening a named pipe would wait for a writer.
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) refuse_unopened(errno);
  struct stat status {};
  const int failed = ::fstat(descriptor_, &status);
  identity_ = identity_of(status);
  mode_ = status.st_mode;
  if (failed == 0 && S_ISREG(mode_) && identity_.size <= limit) return;
  ::close(descriptor_);
  descriptor_ = -1;
  if (failed != 0) refuse_unopened(EIO);
  if (!S_ISREG(mode_)) {
    const std::string kind = kind_of(mode_);
    throw FileFault("is " + kind, "a regular file", kind, "give the plugin's .so file");
  }
  throw FileFault("is too large", "at most " + with_commas(limit) + " bytes",
                  with_commas(identity_.size) + " bytes", "strip the file");
}

FileSource::~FileSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileSource::copy(std::uint64_t offset, std::size_t count, char* to) const {
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw FileFault("cannot be read", "readable bytes",
                      got == 0 ? "the file became shorter while it was read" : system_text(errno));
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

Region::Region(const ByteSource& source, std::string name, std::uint64_t offset, std::uint64_t size)
    : name_(std::move(name)) {
  if (offset > source.size() || size > source.size() - offset) {
    const bool overflows = size > std::numeric_limits<std::uint64_t>::max() - offset;
    throw FileFault("truncated: " + name_ + " ends " +
                        (overflows ? "beyond any file" : "at byte " + with_commas(offset + size)),
                    "every table and segment inside the file",
                    "a file of " + with_commas(source.size()) + " bytes");
  }
  bytes_.resize(size);
  if (size > 0) source.copy(offset, size, bytes_.data());
}

std::string_view Region::part(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset) refuse(offset, size);
  return std::string_view(bytes_.data(), bytes_.size()).substr(offset, size);
}

std::string Region::text(std::uint64_t offset) const {
  if (offset >= bytes_.size()) refuse(offset, 1);
  const std::size_t room = std::min<std::size_t>(bytes_.size() - offset, kLongestString + 1);
  const char* begin = bytes_.data() + offset;
  const void* end = std::memchr(begin, 0, room);
  if (end == nullptr)
    throw FileFault("damaged: a string in " + name_ + " has no end",
                    "at most " + with_commas(kLongestString) + " bytes",
                    "no zero byte within " + with_commas(room));
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

void Region::refuse(std::uint64_t offset, std::uint64_t size) const {
  throw FileFault("damaged: " + name_ + " points outside of itself",
                  "at most " + with_commas(bytes_.size()) + " bytes",
                  with_commas(size) + " bytes at " + with_commas(offset));
}

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

}  // namespace mortise::host
