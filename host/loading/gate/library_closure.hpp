#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/loading/elf_file.hpp"
#include "host/loading/host_identity.hpp"

namespace mortise::host {

// A library that a plugin would bring into the process.
struct BroughtLibrary {
  std::string name;
  std::filesystem::path file;
  std::string needed_by;  // "" for the plugin itself
  ElfFile elf;
};

// One that would not be found, and what was met instead.
struct MissingLibrary {
  std::string name, needed_by;
  std::string remark;  // "found /x/libextra.so, but it is an empty file"
};

// All libraries that the dynamic linker would look for, found by its rules without loading any.
struct LibraryClosure {
  std::vector<BroughtLibrary> brought;
  std::vector<MissingLibrary> missing;
  std::vector<std::filesystem::path> loaded;  // those that the process has already
};

LibraryClosure find_libraries(const std::filesystem::path& plugin, const ElfFile& elf,
                              const HostIdentity& host);

// "$ORIGIN/lib" of a file in /x -> "/x/lib"
std::filesystem::path expand_origin(const std::string& entry, const std::filesystem::path& folder);

// A folder that is found wherever the plugin is installed.
bool begins_with_origin(const std::string& entry);

}  // namespace mortise::host
