#pragma once

// What stands between the bytes of a file and its text.

#include <memory>
#include <string_view>

#include "raw_input.hpp"

namespace mortise::corpus {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // At most `size` bytes, at least one unless the input has ended.
  // Errors: DataError naming the file when it is broken or cut off.
  virtual std::size_t read(char* into, std::size_t size) = 0;
};

// Each goes on with the bytes of `first`, which `input` has lent, and then with those of `input`.
std::unique_ptr<Decoder> plain_decoder(RawInput& input, std::string_view first);
std::unique_ptr<Decoder> gzip_decoder(RawInput& input, std::string_view first);
std::unique_ptr<Decoder> zstd_decoder(RawInput& input, std::string_view first);

}  // namespace mortise::corpus
