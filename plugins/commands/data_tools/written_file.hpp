#pragma once

// What commands say of a token file that they have written.

#include <cstdint>
#include <string>

#include "../../data/token_files/token_writer.hpp"

namespace mortise::data_tools {

// "4 documents, 307 tokens, 614 bytes in OUT". `width`: bytes of a token.
std::string written_text(const token_files::TokenWriter& writer, std::uint32_t width);
// The same as JSON.
std::string written_json(const token_files::TokenWriter& writer, std::uint32_t width);

}  // namespace mortise::data_tools
