#pragma once

#include <string>
#include <vector>

#include "host/loading/elf/versions.hpp"

namespace mortise::host {

struct ElfSymbol {
  std::string name;
  std::string version;  // "" where it has none
  bool is_function = false;
};

struct ElfSymbols {
  std::vector<ElfSymbol> exports;    // defined and visible to others
  std::vector<ElfSymbol> undefined;  // strong ones only
};

ElfSymbols read_symbols(const ByteSource& source, const ElfLayout& layout,
                        const ElfDynamic& dynamic, const ElfStrings& strings,
                        const ElfVersions& versions);

}  // namespace mortise::host
