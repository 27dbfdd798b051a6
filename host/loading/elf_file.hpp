#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/loading/elf/byte_source.hpp"
#include "host/loading/elf/symbols.hpp"
#include "host/loading/elf/versions.hpp"

namespace mortise::host {

// What a shared object says about itself, read from its bytes alone. Bounded: every offset is
// checked, files up to 1 GiB, 4,096 headers, strings of 8 KiB, a manifest of 256 KiB.
struct ElfFile {
  std::vector<std::string> needed;
  std::string soname;
  std::vector<std::string> runpath;  // entries of RUNPATH, or of RPATH where there is no RUNPATH
  bool text_relocations = false;
  bool executable_stack = false;
  bool carries_cxx_runtime = false;  // a libstdc++ was linked in statically
  std::uint64_t tls_bytes = 0;
  std::uint64_t constructors = 0;  // run at load
  std::vector<VersionNeed> version_needs;
  std::vector<std::string> version_definitions;
  std::vector<ElfSymbol> exports, undefined;  // only with Depth::symbols

  std::string manifest;                     // only with Depth::plugin
  std::optional<FileFault> manifest_fault;  // why there is none
};

// How much to read: a library's name, versions and needs; its symbols too; the manifest too.
enum class Depth { identity, symbols, plugin };

// Throws FileFault, which says what the file is, if it is no intact shared object for this machine.
ElfFile read_elf(const ByteSource& source, Depth depth);

}  // namespace mortise::host
