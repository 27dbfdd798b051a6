#pragma once

#include <string>

namespace mortise::host {

// A file with a text in the system's temporary folder, that goes with the object.
class TemporaryFile {
 public:
  // Throws Failure (exit storage).
  explicit TemporaryFile(const std::string& text);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace mortise::host
