#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "host/checkpoint/files/checksum.hpp"

namespace mortise::host {

// What a finished file must look like when it is read again.
struct FileRecord {
  std::string name;
  std::uint64_t bytes = 0;
  std::string xxh3;  // 16 hex digits
  bool operator==(const FileRecord&) const = default;
};

// A new file, hashed while it is written, and on the disk once finish() returns. The process
// ignores SIGXFSZ, else a limit on file sizes ends it instead of being reported.
// Throws Failure K0001 with path and errno.
class DurableFile {
 public:
  explicit DurableFile(const std::filesystem::path& path);  // which must not exist
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  FileRecord finish();

 private:
  void write_piece(const char* bytes, std::size_t count);
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  Checksum checksum_;
};

// Writes one whole text durably.
FileRecord write_durably(const std::filesystem::path& path, std::string_view text);

}  // namespace mortise::host
