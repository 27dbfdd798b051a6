#pragma once

#include <string>

namespace mortise::host {

// The C++ name of a symbol, or the symbol itself where it has none.
std::string demangled(const std::string& symbol);

}  // namespace mortise::host
