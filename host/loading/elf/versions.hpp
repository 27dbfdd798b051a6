#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/loading/elf/dynamic.hpp"

namespace mortise::host {

// A version of a library's symbols that a file needs: {"libstdc++.so.6", "GLIBCXX_3.4.30"}.
struct VersionNeed {
  std::string library, version;
};

struct ElfVersions {
  std::vector<VersionNeed> needs;
  std::vector<std::string> definitions;           // without the file's own name
  std::map<std::uint16_t, std::string> by_index;  // what the symbol table's numbers mean
};

ElfVersions read_versions(const ByteSource& source, const ElfLayout& layout,
                          const ElfDynamic& dynamic, const ElfStrings& strings);

}  // namespace mortise::host
