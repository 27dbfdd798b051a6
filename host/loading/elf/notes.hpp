#pragma once

#include <string>

#include "host/loading/elf/layout.hpp"

namespace mortise::host {

// The text of the manifest: the note of type 2 whose owner is MORTISE, without its final zero.
// It must stand in the segments and, if the file has sections, equally in those: a packaging step
// that rewrites one of the two tables loses it. Throws FileFault otherwise.
std::string read_manifest_note(const ByteSource& source, const ElfLayout& layout);

inline constexpr std::uint64_t kLargestNote = std::uint64_t{256} * 1024;

}  // namespace mortise::host
