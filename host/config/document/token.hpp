#pragma once

#include <string_view>

#include "host/config/document/source.hpp"

namespace mortise::host {

// How a scalar stands in its source.
struct Token {
  int length = 1;      // in characters, on its first line
  bool closed = true;  // false: a quoted scalar whose closing quote is missing
};

// The scalar `value` that begins at a byte of a line (both from 0). yaml-cpp tells where scalars
// begin, not where they end, and takes an unclosed quote for the rest of the file.
Token token_at(const Source& source, int line, int byte_column, std::string_view value);

}  // namespace mortise::host
