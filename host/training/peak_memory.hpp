#pragma once

#include <cstdint>

namespace mortise::host {

// Largest resident memory of this process so far.
std::int64_t peak_memory_bytes();

}  // namespace mortise::host
