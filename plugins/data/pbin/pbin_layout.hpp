#pragma once

// A packed token file in the format of Modalities, for reading:
//
//   uint64 LE  length of the token data in bytes
//   uint32 LE  bytes per token: 1, 2 or 4
//   token data
//   pickled list of (offset, length) in bytes, one pair for each document. Offsets count from the
//   start of the data; in files written before Modalities' pull request 164, from the start of the
//   file (the first one is then 12).

#include <string>
#include <string_view>

#include "../token_files/layout.hpp"

namespace mortise::pbin {

inline constexpr std::uint64_t kHeaderBytes = 12;

// Reads the header alone.
// Errors: DataError naming the file and what is wrong with it.
token_files::Layout pbin_layout(std::string_view file, const std::string& path);

// The documents in the order of the file; each begins where the one before ends or later.
// Errors: DataError naming the file and the document.
void pbin_documents(std::string_view file, const token_files::Layout& layout,
                    const std::string& path, const token_files::EachDocument& each);

}  // namespace mortise::pbin
