#pragma once

#include <cstddef>
#include <string_view>

namespace mortise::host {

// The file of which a part is mapped at `address`, as /proc/self/maps has it; empty for any other
// memory. The text lies in `memory`, of `size` bytes. A signal handler may call it.
std::string_view mapped_file_at(const void* address, char* memory, std::size_t size);

}  // namespace mortise::host
