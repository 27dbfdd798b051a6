#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace mortise::host {

// A file mapped into memory: only the ranges that are looked at are read, and none of them counts
// as memory of this process for good. Files of a checkpoint never change once they have their final
// name; one that is cut short while mapped would end the process with SIGBUS.
// Throws Failure K0003.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// The whole text of a file of at most `limit` bytes. Throws Failure K0003.
std::string read_text(const std::filesystem::path& path, std::uint64_t limit);

// The XXH3 of a file, read piece by piece. Throws Failure K0003.
std::string checksum_of(const std::filesystem::path& path);

}  // namespace mortise::host
