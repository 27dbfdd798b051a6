#pragma once

#include <string_view>

#include "layout.hpp"

namespace mortise::token_files {

// Copies the tokens [first, first + count) of those that `bytes` are; the caller knows that they
// are inside. Signed elements may hold negative numbers.
void read_tokens(std::string_view bytes, Element element, std::int64_t first, std::int64_t count,
                 std::int64_t* out);

}  // namespace mortise::token_files
