#pragma once

// NumPy's array files, for token ids in one dimension: magic, version, length of the header, a
// Python dictionary as text, then the numbers.

#include <string>
#include <string_view>

#include "layout.hpp"

namespace mortise::token_files {

// Errors: DataError naming the file, what it should have and what it has.
Layout npy_layout(std::string_view file, const std::string& path);

// What numpy.save writes before an array of so many unsigned numbers; as long for any number.
std::string npy_header(std::int64_t tokens, std::uint32_t width);

}  // namespace mortise::token_files
