#include "host/training/peak_memory.hpp"

#include <c10/core/CachingDeviceAllocator.h>

#include <fstream>
#include <string>

namespace mortise::host {

// Not from getrusage: that figure survives exec, so a large launcher would be counted.
std::int64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kibibytes = 0; word == "VmHWM:" && status >> kibibytes)
      return kibibytes * 1024;
  return 0;
}

std::int64_t peak_memory_bytes_of(c10::Device device) {
  using c10::CachingAllocator::StatType;
  return c10::getDeviceAllocator(device.type())
      ->getDeviceStats(device.index())
      .allocated_bytes[std::size_t(StatType::AGGREGATE)]
      .peak;
}

}  // namespace mortise::host
