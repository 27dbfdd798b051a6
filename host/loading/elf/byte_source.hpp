#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mortise::host {

// What is wrong with a file: the parts of a finding, without its id.
class FileFault : public std::runtime_error {
 public:
  FileFault(const std::string& what, std::string expected, std::string got,
            std::string advice = "copy the file again or rebuild the plugin")
      : std::runtime_error(what),
        expected_(std::move(expected)),
        got_(std::move(got)),
        advice_(std::move(advice)) {}
  const std::string& expected() const { return expected_; }
  const std::string& got() const { return got_; }
  const std::string& advice() const { return advice_; }

 private:
  std::string expected_, got_, advice_;
};

// The bytes of a file, copied piece by piece. Never a mapping: a mapped file that shrinks while it
// is read ends the process with SIGBUS.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Copies `count` bytes from `offset`; both lie within size(). Throws FileFault if they cannot be
  // read any more.
  virtual void copy(std::uint64_t offset, std::size_t count, char* to) const = 0;
};

// Bytes that somebody else keeps.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const char> bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void copy(std::uint64_t offset, std::size_t count, char* to) const override {
    std::memcpy(to, bytes_.data() + offset, count);
  }

 private:
  std::span<const char> bytes_;
};

// Tells whether a path still names the file that was judged.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_ns = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// A regular file, open for reading as long as this lives.
class FileSource final : public ByteSource {
 public:
  // Throws FileFault for what is missing, unreadable, larger than `limit` or no regular file.
  explicit FileSource(const std::filesystem::path& file, std::uint64_t limit);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const override { return identity_.size; }
  void copy(std::uint64_t offset, std::size_t count, char* to) const override;
  const FileIdentity& identity() const { return identity_; }
  mode_t mode() const { return mode_; }

 private:
  int descriptor_ = -1;
  FileIdentity identity_;
  mode_t mode_ = 0;
};

// One table of a file, held in memory of exactly its size; every access is checked.
class Region {
 public:
  Region() = default;
  // Throws FileFault unless [offset, offset + size) lies within the file.
  Region(const ByteSource& source, std::string name, std::uint64_t offset, std::uint64_t size);

  std::uint64_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

  template <class T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) refuse(offset, sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  // The bytes [offset, offset + size) of this table.
  std::string_view part(std::uint64_t offset, std::uint64_t size) const;

  // The zero-terminated string at `offset`, at most kLongestString bytes.
  std::string text(std::uint64_t offset) const;

 private:
  [[noreturn]] void refuse(std::uint64_t offset, std::uint64_t size) const;

  std::string name_;
  std::vector<char> bytes_;
};

inline constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;
inline constexpr std::size_t kLongestString = 8192;

// 81920 -> "81,920"
std::string with_commas(std::uint64_t number);

}  // namespace mortise::host
