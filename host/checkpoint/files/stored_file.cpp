#include "host/checkpoint/files/stored_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "host/checkpoint/files/checksum.hpp"
#include "host/checkpoint/files/storage_failure.hpp"

namespace mortise::host {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// An open regular file.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail("cannot open");
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) close_and_fail(errno);
    if (!S_ISREG(status.st_mode)) close_and_fail(EINVAL);
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::uint64_t size() const { return size_; }

  // Reads up to `count` bytes; 0 at the end.
  std::size_t read(char* to, std::size_t count) const {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, count);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail("cannot read");
    }
  }

  [[noreturn]] void fail(const char* what) const {
    throw system_failure(storage::read, path_, what, errno);
  }

 private:
  [[noreturn]] void close_and_fail(int error) {
    ::close(descriptor_);
    errno = error;
    fail("cannot read as a regular file");
  }

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const OpenFile file(path);
  if (file.size() == 0) return;  // nothing can be mapped
  void* start = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (start == MAP_FAILED) file.fail("cannot map");
  bytes_ = {static_cast<const std::byte*>(start), file.size()};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string read_text(const std::filesystem::path& path, std::uint64_t limit) {
  const OpenFile file(path);
  if (file.size() > limit)
    throw storage_failure(storage::read, path,
                          "is " + std::to_string(file.size()) + " bytes long, expected at most " +
                              std::to_string(limit),
                          "check that this is a checkpoint of ours");
  std::string text(file.size(), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const std::size_t got = file.read(text.data() + done, text.size() - done);
    if (got == 0) break;
    done += got;
  }
  text.resize(done);
  return text;
}

std::string checksum_of(const std::filesystem::path& path) {
  const OpenFile file(path);
  ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
  Checksum checksum;
  std::vector<char> piece(kPiece);
  while (const std::size_t got = file.read(piece.data(), piece.size()))
    checksum.add(piece.data(), got);
  return checksum.hex();
}

}  // namespace mortise::host
