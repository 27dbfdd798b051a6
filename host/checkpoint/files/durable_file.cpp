#include "host/checkpoint/files/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host/checkpoint/files/storage_failure.hpp"

namespace mortise::host {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;  // hashed and written while in the cache

}  // namespace

DurableFile::DurableFile(const std::filesystem::path& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) fail("cannot create the file");
}

DurableFile::~DurableFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void DurableFile::write(const void* bytes, std::size_t count) {
  const char* from = static_cast<const char*>(bytes);
  while (count != 0) {
    const std::size_t piece = std::min(count, kPiece);
    checksum_.add(from, piece);
    write_piece(from, piece);
    from += piece;
    count -= piece;
  }
}

void DurableFile::write_piece(const char* bytes, std::size_t count) {
  bytes_ += count;
  while (count != 0) {
    const ssize_t written = ::write(descriptor_, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

FileRecord DurableFile::finish() {
  if (::fsync(descriptor_) != 0) fail("cannot write to the disk");
  const int descriptor = descriptor_;
  descriptor_ = -1;                                             // closed, whatever close says
  if (::close(descriptor) != 0) fail("cannot finish writing");  // where NFS reports a full disk
  return {path_.filename().string(), bytes_, checksum_.hex()};
}

void DurableFile::fail(const char* what) const {
  throw system_failure(storage::write, path_, what, errno);
}

FileRecord write_durably(const std::filesystem::path& path, std::string_view text) {
  DurableFile file(path);
  file.write(text);
  return file.finish();
}

}  // namespace mortise::host
