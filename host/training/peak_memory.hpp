#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace mortise::host {

// Largest resident memory of this process so far.
std::int64_t peak_memory_bytes();
// The most that LibTorch had given out on a device.
std::int64_t peak_memory_bytes_of(c10::Device device);

}  // namespace mortise::host
