#pragma once

#include "host/loading/elf/byte_source.hpp"

namespace mortise::host {

// Throws FileFault unless the file begins like a 64-bit ELF shared object for this machine. The
// fault says in words what the file is instead: the dynamic linker's own texts mislead here
// ("file too short" for text, "No such file" for another machine).
void require_shared_object(const ByteSource& source);

}  // namespace mortise::host
