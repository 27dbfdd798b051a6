#pragma once

// The bytes of an input after decompression: gzip and zstd are told by their first bytes, so that
// names and standard input need no option.

#include <cstdint>
#include <memory>
#include <string>

#include "raw_input.hpp"

namespace mortise::corpus {

class Decoder;

class ByteSource {
 public:
  // Errors: DataError naming the file, here and in every call.
  ByteSource(std::string path, StopRequested stop = {});
  ~ByteSource();

  // Fills `into` with at most `size` bytes and returns how many; 0 at the end.
  std::size_t read(char* into, std::size_t size);
  // Bytes of the file that are done, before decompression.
  std::int64_t raw_bytes() const { return raw_.bytes_read(); }

 private:
  RawInput raw_;
  std::unique_ptr<Decoder> decoder_;
};

// Whether a file of ours that begins with these bytes is decompressed.
bool is_compressed(std::string_view first_bytes);

// `path` without the ending of a compression: a.jsonl.gz -> a.jsonl.
std::string without_compression(const std::string& path);

}  // namespace mortise::corpus
