#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "../pbin/checksum.hpp"
#include "../pbin/partial_file.hpp"
#include "../pbin/side_file.hpp"
#include "layout.hpp"

namespace mortise::token_files {

// A file of tokens under way, and its side file: ids are held against their width, counted and
// summed up.
class TokenSection {
 public:
  // Errors: Error(storage) naming the file, here and in every call.
  TokenSection(std::string path, Element element);

  const std::string& path() const { return path_; }
  std::int64_t tokens() const { return tokens_; }

  void append_header(std::string_view bytes) { file_.append(bytes); }
  void overwrite_header(std::string_view bytes) { file_.overwrite(0, bytes); }
  // Errors: DataError for an id that the element cannot hold.
  void add(std::span<const std::uint32_t> ids);
  // Both files are complete under their temporary names when this returns.
  void finish(pbin::SideFile side, std::int64_t documents);
  void publish();

 private:
  template <class T>
  void write(std::span<const std::uint32_t> ids);

  std::string path_;
  pbin::PartialFile file_;
  std::optional<pbin::PartialFile> side_;
  Element element_;
  std::int64_t tokens_ = 0, largest_ = -1;
  pbin::Checksum checksum_;
};

}  // namespace mortise::token_files
