#include <sched.h>

#include <algorithm>

#include "pipeline.hpp"

namespace mortise::corpus {

int available_cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return std::max(1, int(std::thread::hardware_concurrency()));
  return CPU_COUNT(&allowed);
}

}  // namespace mortise::corpus
