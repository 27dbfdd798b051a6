#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/loading/elf/byte_source.hpp"

namespace mortise::host {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t address = 0, offset = 0, size = 0, alignment = 0;
};

// The two header tables of a shared object for this machine, every entry inside the file.
struct ElfLayout {
  std::vector<Elf64_Phdr> segments;
  std::vector<ElfSection> sections;  // empty if the file has no section table

  // Where in the file the bytes that load at [address, address + size) stand.
  std::uint64_t offset_of(std::string_view what, std::uint64_t address, std::uint64_t size) const;

  // How many bytes of the file follow `address` in its segment, 0 if it is in none.
  std::uint64_t bytes_after(std::uint64_t address) const;

  // Whether [address, address + size) is memory of one segment, from the file or zero.
  bool is_loaded(std::uint64_t address, std::uint64_t size) const;

  const Elf64_Phdr* segment(std::uint32_t type) const;
  const ElfSection* section(std::string_view name) const;
};

inline constexpr std::size_t kMostHeaders = 4096;

// Throws FileFault, which says what the file is if it is no shared object for this machine.
ElfLayout read_layout(const ByteSource& source);

}  // namespace mortise::host
