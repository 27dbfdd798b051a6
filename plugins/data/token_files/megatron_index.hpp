#pragma once

// NAME.idx of Megatron-LM, which says what NAME.bin holds:
//
//   "MMIDIDX", two zero bytes   uint64 version 1   uint8 type   uint64 sequences   uint64 ends
//   int32 tokens of each sequence
//   int64 byte offset of each sequence in NAME.bin
//   int64 number of sequences before each end of a document; the first is 0
//   (int8 mode of each sequence, in multimodal data)

#include <string>
#include <string_view>

#include "layout.hpp"

namespace mortise::token_files {

class MegatronIndex {
 public:
  // Looks at the header alone. `bin_bytes`: size of NAME.bin.
  // Errors: DataError naming the file, what it should have and what it has; here and below.
  MegatronIndex(std::string_view idx, const std::string& idx_path, std::uint64_t bin_bytes);

  Layout layout() const;
  // Whether some document has several sequences, whose inner ends no other format can carry.
  bool has_split_documents() const;
  void documents(const EachDocument& each) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  std::uint64_t size_of(std::uint64_t sequence) const;    // in tokens
  std::uint64_t offset_of(std::uint64_t sequence) const;  // in bytes
  std::uint64_t end_of(std::uint64_t document) const;     // in sequences
  TokenSpan span_of(std::uint64_t first, std::uint64_t end) const;

  std::string_view idx_;
  const std::string& path_;
  Element element_ = Element::u16;
  std::uint64_t sequences_ = 0, documents_ = 0, bin_bytes_;
};

// What stands before the lists. `element`: one that Megatron has.
std::string megatron_header(Element element, std::uint64_t sequences, std::uint64_t ends);

}  // namespace mortise::token_files
