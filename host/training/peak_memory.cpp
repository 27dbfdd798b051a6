#include "host/training/peak_memory.hpp"

#include <sys/resource.h>

namespace mortise::host {

std::int64_t peak_memory_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t(usage.ru_maxrss) * 1024;
}

}  // namespace mortise::host
