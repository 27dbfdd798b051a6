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

// How far a file is written whose writer may go on later.
struct PbinState {
  std::int64_t tokens = 0, documents = 0, largest = -1;
  std::string checksum;  // of the tokens
};

// The ends of documents lie in a file beside it, NAME.pbin.ends.partial, until they are written as
// the index: memory does not grow with their number.
class PbinWriter final : public token_files::TokenWriter {
 public:
  // Errors: Error(storage), here and in every call.
  PbinWriter(std::string path, std::uint32_t bytes_per_token, PartialFile::Busy busy);
  // Goes on where an earlier writer was in that state.
  // Errors: DataError when its files are not those of that state.
  PbinWriter(std::string path, std::uint32_t bytes_per_token, const PbinState& state);

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
  std::int64_t documents() const override { return documents_; }

  // Everything is on the disk when this returns: from the state that it gives a later writer can go
  // on, if the files are left.
  PbinState save();
  void leave();

  // Writes index and header, and the side file from `side`, whose counts are filled in here. Both
  // files are then complete under their temporary names.
  void finish(SideFile side) override;
  // Gives both their names.
  void publish() override;

 private:
  template <class T>
  void write(std::span<const std::uint32_t> ids);
  void read_tokens_again();
  void write_index_at_end();

  std::string path_;
  PartialFile file_, ends_;  // ends: 8 bytes each, counted in bytes of tokens
  std::optional<PartialFile> side_;
  std::uint32_t width_;
  std::int64_t tokens_ = 0, documents_ = 0, largest_ = -1;
  Checksum checksum_;
};

}  // namespace mortise::pbin
