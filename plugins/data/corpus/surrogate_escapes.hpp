#pragma once

// Escapes in JSON that stand for half a character.

#include <string>
#include <string_view>

namespace mortise::corpus {

// `json` with \ufffd in place of each \uD800 … \uDFFF that has no partner.
std::string without_lone_surrogates(std::string_view json);

}  // namespace mortise::corpus
