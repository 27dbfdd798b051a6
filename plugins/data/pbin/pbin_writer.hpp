#pragma once

// Writes a .pbin file and its side file; both appear when they are complete.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../token_files/token_writer.hpp"
#include "checksum.hpp"
#include "partial_file.hpp"
#include "side_file.hpp"

namespace mortise::pbin {

// The width of a token so that vocabulary_size - 1 fits: 1, 2 or 4 bytes.
std::uint32_t bytes_per_token(std::int64_t vocabulary_size);

class PbinWriter final : public token_files::TokenWriter {
 public:
  // Errors: Error(storage), here and in every call.
  PbinWriter(std::string path, std::uint32_t bytes_per_token, PartialFile::Busy busy);

  // Tokens of the current document.
  // Errors: DataError for an id that the width cannot hold.
  void add(std::span<const std::uint32_t> ids) override;
  void end_document() override;
  // Whole documents whose tokens are encoded already, width() bytes each. `lengths`: of each
  // document, in tokens; `largest`: of all ids.
  void add_documents(std::string_view tokens, std::span<const std::int64_t> lengths,
                     std::int64_t largest);

  const std::string& path() const override { return path_; }
  // Where the file lies until publish().
  const std::string& partial_path() const { return file_.path(); }
  std::uint32_t width() const { return width_; }
  std::int64_t tokens() const override { return tokens_; }
  std::int64_t documents() const override { return static_cast<std::int64_t>(ends_.size()); }

  // Writes index and header, and the side file from `side`, whose counts are filled in here. Both
  // files are then complete under their temporary names.
  void finish(SideFile side) override;
  // Gives both their names.
  void publish() override;

 private:
  template <class T>
  void write(std::span<const std::uint32_t> ids);

  std::string path_;
  PartialFile file_;
  std::optional<PartialFile> side_;
  std::uint32_t width_;
  std::int64_t tokens_ = 0, largest_ = -1;
  std::vector<std::uint64_t> ends_;  // in bytes
  Checksum checksum_;
};

}  // namespace mortise::pbin
