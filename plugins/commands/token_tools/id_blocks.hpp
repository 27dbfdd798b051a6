#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "input.hpp"

namespace mortise::token_tools {

// Calls `each` for the ids of `span`, block by block.
// Errors: DataError naming the first token whose id is negative, does not fit into four bytes, or
// is
//         not below the vocabulary that the side file names.
void each_block(const Input& input, token_files::TokenSpan span,
                const std::function<void(std::span<const std::uint32_t>)>& each);

}  // namespace mortise::token_tools
