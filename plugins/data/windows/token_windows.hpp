#pragma once

// Samples cut from packed tokens: sample i of a file is its tokens [i*T, i*T + T + 1), the last of
// which is the first of the next. No window crosses from one file into another.

#include <cstdint>
#include <mortise/data/dataset.hpp>
#include <span>
#include <string>
#include <vector>

#include "hold_out.hpp"

namespace mortise::windows {

class TokenWindows {
 public:
  // `source`: what the user calls the files.
  // Errors: DataError with both numbers when there is not one sample.
  TokenWindows(std::vector<Stream> streams, std::int64_t sequence_length, Part part,
               const std::string& source);

  std::int64_t size() const { return samples_; }
  std::int64_t tokens() const { return tokens_; }
  std::vector<Sample> read(std::span<const std::int64_t> indices) const;

  // A file and the token of it at which sample `index` begins; T + 1 tokens follow.
  struct Place {
    const Stream* stream;
    std::int64_t first;
  };
  Place place(std::int64_t index) const;
  std::int64_t tokens_per_sample() const { return length_ + 1; }

 private:
  std::vector<Stream> streams_;
  std::int64_t length_;
  std::int64_t samples_ = 0, tokens_ = 0;
  std::vector<std::int64_t> ends_;  // samples up to and with each stream
};

// "FILE, tokens A..B" of `count` tokens from `first` on.
std::string place_text(const std::string& file, std::int64_t first, std::int64_t count);

}  // namespace mortise::windows
