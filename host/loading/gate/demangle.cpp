#include "host/loading/gate/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace mortise::host {

std::string demangled(const std::string& symbol) {
  constexpr std::size_t longest = 2048;  // the demangler recurses
  if (!symbol.starts_with("_Z") || symbol.size() > longest) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name ? std::string(name.get()) : symbol;
}

}  // namespace mortise::host
