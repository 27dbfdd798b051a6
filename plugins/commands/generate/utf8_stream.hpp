#pragma once

// Text that grows, cut so that every part is valid UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace mortise::generate {

class Utf8Stream {
 public:
  // What of `whole` is new since the last call and complete. `whole` is all of the text so far.
  // Invalid bytes become replacement characters; a sequence that is not complete yet waits, and so
  // do replacement characters at the end, by which some tokenizers show the same.
  std::string next(std::string_view whole);
  // What still waits when no more text comes.
  std::string rest(std::string_view whole);

 private:
  std::size_t done_ = 0;
};

}  // namespace mortise::generate
