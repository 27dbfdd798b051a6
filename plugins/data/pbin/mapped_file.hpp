#pragma once

// A regular file, mapped for reading.

#include <string>
#include <string_view>

namespace mortise::pbin {

class MappedFile {
 public:
  // Errors: DataError naming the file.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  const std::string& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }

  // How a part of bytes() will be read. `scattered`: here and there, so that nothing is read ahead
  // (some disks read 8 MiB ahead). `soon`: now, in one piece.
  enum class Use { scattered, soon };
  void will_use(std::string_view part, Use use) const;

 private:
  std::string path_;
  std::string_view bytes_;
};

}  // namespace mortise::pbin
