#include "mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mortise/error.hpp>
#include <utility>

namespace mortise::pbin {

namespace {

std::string_view map(int file, const std::string& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) throw DataError(path + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw DataError(path + " is a folder: expected a file");
  if (!S_ISREG(status.st_mode)) throw DataError(path + " is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) throw DataError(path + " cannot be mapped: " + std::strerror(errno));
  return {static_cast<const char*>(bytes), size};
}

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  // Without O_NONBLOCK a named pipe would wait for a writer here.
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw DataError(path_ + ": " + std::strerror(errno));
  try {
    bytes_ = map(file, path_);
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

// Advice that the kernel does not take is no fault.
void MappedFile::will_use(std::string_view part, Use use) const {
  if (part.empty()) return;
  static const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = std::size_t(part.data() - bytes_.data()) / page * page;
  const std::size_t end = std::size_t(part.data() - bytes_.data()) + part.size();
  ::madvise(const_cast<char*>(bytes_.data()) + begin, end - begin,
            use == Use::scattered ? MADV_RANDOM : MADV_WILLNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

}  // namespace mortise::pbin
