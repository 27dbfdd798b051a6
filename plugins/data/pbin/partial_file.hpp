#pragma once

// A file that appears whole or not at all: written as NAME.partial, locked against a second writer,
// renamed when it is complete, removed otherwise. What a killed process left is overwritten, unless
// it is to be gone on with.

#include <cstdint>
#include <string>
#include <string_view>

namespace mortise::pbin {

class PartialFile {
 public:
  // What to do while another process writes the same file.
  enum class Busy { wait, fail };

  // What to do with the bytes that a killed process left.
  enum class Content { begin_anew, keep };

  // Errors: Error(storage) naming the file, here and in every call.
  PartialFile(std::string path, Busy busy, Content content = Content::begin_anew);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Where it lies until it is renamed.
  const std::string& path() const { return path_; }
  void append(std::string_view bytes);
  void overwrite(std::uint64_t offset, std::string_view bytes);
  std::uint64_t size() const { return written_ + buffer_.size(); }
  // Fills `into` from there; what is read must have been written.
  void read(std::uint64_t offset, char* into, std::size_t size);
  // Ends there; append goes on from there.
  void cut(std::uint64_t size);
  // Everything is on the disk when this returns.
  void sync();
  void rename_to_final();
  // Stays under its temporary name when this object goes.
  void leave() { stays_ = true; }

 private:
  [[noreturn]] void fail(const char* action) const;
  bool lock(Busy busy);
  void write_out();
  void write_at(std::uint64_t offset, std::string_view bytes);

  std::string final_path_, path_;
  int file_ = -1;
  bool renamed_ = false, stays_ = false;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace mortise::pbin
