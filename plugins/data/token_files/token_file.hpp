#pragma once

// A file of token ids, mapped for reading, in any of the formats of layout.hpp. The format is told
// by the name's ending, and for .bin by what lies beside the file and at its beginning:
//
//   NAME.npy   one-dimensional array of NumPy
//   NAME.idx, or NAME.bin beside a NAME.idx   Megatron
//   NAME.bin   llm.c when it begins with its magic, else nanoGPT: numbers of two bytes
//   others     .pbin

#include <optional>
#include <string>
#include <vector>

#include "../pbin/mapped_file.hpp"
#include "layout.hpp"

namespace mortise::token_files {

class TokenFile {
 public:
  // Opens in constant time: documents are read only when they are asked for.
  // Errors: DataError naming the file and what is wrong with it.
  explicit TokenFile(const std::string& path);

  // The file with the tokens; of Megatron's two the .bin.
  const std::string& path() const { return file_.path(); }
  Format format() const { return layout_.format; }
  std::uint32_t bytes_per_token() const { return bytes_of(layout_.element); }
  std::int64_t tokens() const { return layout_.tokens; }
  std::string_view token_bytes() const;

  // Copies the tokens [first, first + count) of the file. Signed files may hold negative ones, for
  // the caller to find.
  void read(std::int64_t first, std::int64_t count, std::int64_t* out) const;
  // Says that reads will lie far from each other, by read_scattered(): a disk then brings in what
  // is asked for and no more.
  void expect_scattered_reads() const;
  void read_scattered(std::int64_t first, std::int64_t count, std::int64_t* out) const;

  // Whether the format says where documents begin and end.
  bool knows_documents() const;
  // Documents of several sequences, whose inner ends no other format can carry.
  bool has_split_documents() const;
  // Calls `each` for the documents in the order of the file, each of which begins where the one
  // before ends or later. A file that does not know its documents is one.
  // Errors: DataError naming the file and the document.
  void each_document(const EachDocument& each) const;
  std::vector<TokenSpan> documents() const;

 private:
  Layout layout_of() const;

  pbin::MappedFile file_;
  std::optional<pbin::MappedFile> index_;  // NAME.idx of Megatron
  Layout layout_;
};

}  // namespace mortise::token_files
