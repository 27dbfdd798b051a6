#pragma once

// A packed token file in the format of Modalities, for reading:
//
//   uint64 LE  length of the token data in bytes
//   uint32 LE  bytes per token: 1, 2 or 4
//   token data
//   pickled list of (offset, length) in bytes, one pair for each document. Offsets count from the
//   start of the data; in files written before Modalities' pull request 164, from the start of the
//   file (the first one is then 12).

#include <cstdint>
#include <string>
#include <vector>

#include "mapped_file.hpp"

namespace mortise::pbin {

inline constexpr std::uint64_t kHeaderBytes = 12;

// A run of tokens.
struct TokenSpan {
  std::int64_t first = 0, size = 0;
  bool operator==(const TokenSpan&) const = default;
};

class PbinFile {
 public:
  // Opens in constant time: the index is read only when documents() asks for it.
  // Errors: DataError naming the file and what is wrong with it.
  explicit PbinFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  std::uint32_t bytes_per_token() const { return width_; }
  std::int64_t tokens() const { return tokens_; }
  // Copies the tokens [first, first + count) of the file.
  void read(std::int64_t first, std::int64_t count, std::int64_t* out) const;
  // The documents in the order of the file; each begins where the one before ends or later.
  std::vector<TokenSpan> documents() const;

 private:
  template <class T>
  void copy(std::int64_t first, std::int64_t count, std::int64_t* out) const;
  TokenSpan span_of(std::uint64_t offset, std::uint64_t length, std::size_t document) const;

  MappedFile file_;
  std::uint32_t width_ = 0;
  std::uint64_t data_bytes_ = 0;
  std::int64_t tokens_ = 0;
};

}  // namespace mortise::pbin
