#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::tiktoken {

// The tokens of a rank file: lines of a token in base64, a blank and its rank, which is its id and
// says when it is merged: the lowest first. Ids without a token are empty; so is the token `=`,
// which OpenAI's multilingual.tiktoken has.
//
// Errors: DataError with the line, without the name of the file: a line that is none, a token or a
//         rank that is there twice, a byte without a token, more than there may be.
std::vector<std::string> read_ranks(std::string_view file);

}  // namespace mortise::tiktoken
