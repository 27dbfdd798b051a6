#pragma once

#include <elf.h>

#include <optional>
#include <vector>

#include "host/loading/elf/layout.hpp"

namespace mortise::host {

// The dynamic section: what the dynamic linker reads first.
class ElfDynamic {
 public:
  // Throws FileFault if it is missing, has no end or names tables outside of the segments.
  ElfDynamic(const ByteSource& source, const ElfLayout& layout);

  std::optional<std::uint64_t> value(std::int64_t tag) const;
  std::vector<std::uint64_t> values(std::int64_t tag) const;
  std::uint64_t flags(std::int64_t tag) const { return value(tag).value_or(0); }

 private:
  void check_tables(const ElfLayout& layout) const;

  std::vector<Elf64_Dyn> entries_;
};

// The strings of the dynamic section. Read whole where symbols are wanted; else one by one, since
// that of LibTorch has tens of megabytes.
class ElfStrings {
 public:
  enum class Reading { whole, single };
  ElfStrings(const ByteSource& source, const ElfLayout& layout, const ElfDynamic& dynamic,
             Reading reading);
  std::string at(std::uint64_t offset) const;

 private:
  const ByteSource& source_;
  std::uint64_t offset_ = 0, size_ = 0;
  std::optional<Region> whole_;
};

}  // namespace mortise::host
