#pragma once

// What a token file that was accepted promises: all of its tokens can be read, and its documents
// lie inside, one after the other.

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "plugins/data/token_files/tokens.hpp"

namespace mortise::fuzz {

inline void require(bool promise) {
  if (!promise) std::abort();
}

inline void read_all(std::string_view file, const token_files::Layout& layout) {
  require(layout.tokens >= 0 && layout.offset <= file.size() &&
          layout.data_bytes() <= file.size() - layout.offset);
  std::vector<std::int64_t> tokens(std::size_t(layout.tokens));
  token_files::read_tokens(file.substr(layout.offset, layout.data_bytes()), layout.element, 0,
                           layout.tokens, tokens.data());
}

class Documents {
 public:
  explicit Documents(const token_files::Layout& layout) : layout_(layout) {}
  void operator()(token_files::TokenSpan span) {
    require(span.size >= 0 && span.first >= end_ && span.first <= layout_.tokens &&
            span.size <= layout_.tokens - span.first);
    end_ = span.first + span.size;
  }

 private:
  const token_files::Layout& layout_;
  std::int64_t end_ = 0;
};

}  // namespace mortise::fuzz
