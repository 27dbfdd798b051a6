#pragma once

// Token files of llm.c: 256 int32 of header (magic, version, number of tokens, zeros), then tokens;
// two bytes each for GPT-2 (magic 20240520, version 1), four for Llama 3 (20240801, version 7).

#include <string>
#include <string_view>

#include "layout.hpp"

namespace mortise::token_files {

inline constexpr std::int64_t kLlmCMostTokens = (std::int64_t(1) << 31) - 1;

// Whether the file begins as one of llm.c does.
bool is_llm_c(std::string_view file);

// Errors: DataError naming the file, what it should have and what it has.
Layout llm_c_layout(std::string_view file, const std::string& path);

// `width`: 2 or 4 bytes; `tokens` at most kLlmCMostTokens.
std::string llm_c_header(std::int64_t tokens, std::uint32_t width);

}  // namespace mortise::token_files
