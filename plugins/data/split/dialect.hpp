#pragma once

#include <string>
#include <string_view>

#include "splitter.hpp"

namespace mortise::split {

// `pattern`, written so that PCRE2 (UTF, UCP) reads it as its own engine does.
// Errors: DataError, naming the first thing that cannot be written so.
std::string for_pcre2(std::string_view pattern, Dialect dialect);

}  // namespace mortise::split
