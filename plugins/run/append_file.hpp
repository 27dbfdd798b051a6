#pragma once

// A file that a sink appends to.

#include <string>
#include <string_view>

namespace mortise {

// Each write goes out at once, so what was written survives the loss of the process.
//
// Errors: Error(storage) with path and cause.
class AppendFile {
 public:
  AppendFile() = default;
  ~AppendFile() { close(); }
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void open(const std::string& path);
  void close();
  void write(std::string_view bytes);
  // Cuts off what stands after the last line end. Returns whether anything stays.
  bool keep_whole_lines();

 private:
  [[noreturn]] void fail() const;
  std::string path_;
  int file_ = -1;
};

}  // namespace mortise
