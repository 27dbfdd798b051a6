#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "input.hpp"

namespace mortise::token_tools {

// Where a document lies; 24 bytes each, all that a command keeps of a document.
struct DocumentPlace {
  std::size_t input = 0;
  token_files::TokenSpan span;
};

// The documents of all inputs, in order.
std::vector<DocumentPlace> documents_of(const std::vector<Input>& inputs,
                                        std::optional<std::int64_t> end_id);

}  // namespace mortise::token_tools
