#include "host/loading/elf/dynamic.hpp"

#include <algorithm>
#include <array>

namespace mortise::host {
namespace {

constexpr const char* kStringTable = "the table of dynamic strings";

struct Table {
  std::int64_t address, size;
  const char* name;
};

// Ranges that the dynamic linker walks without looking whether they are there.
constexpr std::array<Table, 4> kTables = {{
    {DT_RELA, DT_RELASZ, "the table of relocations"},
    {DT_JMPREL, DT_PLTRELSZ, "the table of call relocations"},
    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, "the list of constructors"},
    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, "the list of destructors"},
}};

}  // namespace

ElfDynamic::ElfDynamic(const ByteSource& source, const ElfLayout& layout) {
  const Elf64_Phdr* segment = layout.segment(PT_DYNAMIC);
  if (segment == nullptr)
    throw FileFault("is linked statically", "a shared object with a dynamic section", "none",
                    "link the plugin as a shared object, as mortise_add_plugin() does");
  const std::uint64_t offset =
      layout.offset_of("the dynamic section", segment->p_vaddr, segment->p_filesz);
  const std::uint64_t count =
      std::min<std::uint64_t>(segment->p_filesz / sizeof(Elf64_Dyn), kMostHeaders);
  const Region table(source, "the dynamic section", offset, count * sizeof(Elf64_Dyn));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = table.at<Elf64_Dyn>(i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NULL) {
      check_tables(layout);
      return;
    }
    entries_.push_back(entry);
  }
  throw FileFault("damaged: the dynamic section has no end",
                  "an end mark within " + with_commas(count) + " entries", "none");
}

void ElfDynamic::check_tables(const ElfLayout& layout) const {
  for (const Table& table : kTables) {
    const auto address = value(table.address);
    const std::uint64_t size = flags(table.size);
    if (address && size > 0 && !layout.is_loaded(*address, size))
      throw FileFault("damaged: " + std::string(table.name) + " lies outside of all segments",
                      "an address that is loaded",
                      with_commas(size) + " bytes at address " + with_commas(*address));
  }
}

std::optional<std::uint64_t> ElfDynamic::value(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : entries_)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return std::nullopt;
}

std::vector<std::uint64_t> ElfDynamic::values(std::int64_t tag) const {
  std::vector<std::uint64_t> all;
  for (const Elf64_Dyn& entry : entries_)
    if (entry.d_tag == tag) all.push_back(entry.d_un.d_val);
  return all;
}

ElfStrings::ElfStrings(const ByteSource& source, const ElfLayout& layout, const ElfDynamic& dynamic,
                       Reading reading)
    : source_(source) {
  const auto address = dynamic.value(DT_STRTAB);
  if (!address) throw FileFault("damaged: no table of dynamic strings", "one", "none");
  size_ = dynamic.flags(DT_STRSZ);
  offset_ = layout.offset_of(kStringTable, *address, size_);
  if (reading == Reading::whole) whole_.emplace(source, kStringTable, offset_, size_);
}

std::string ElfStrings::at(std::uint64_t offset) const {
  if (whole_) return whole_->text(offset);
  const std::uint64_t start = std::min(offset, size_);
  const std::uint64_t room = std::min<std::uint64_t>(size_ - start, kLongestString + 1);
  return Region(source_, kStringTable, offset_ + start, room).text(0);
}

}  // namespace mortise::host
