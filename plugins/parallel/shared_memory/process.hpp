#pragma once

#include <sys/types.h>

#include <cstdint>

namespace mortise_shared_memory {

// When a living process started, in ticks of the system: with its id, it is like no other's. 0: it
// has ended.
std::uint64_t start_of(pid_t process);

}  // namespace mortise_shared_memory
