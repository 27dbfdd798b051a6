#include "host/loading/elf/versions.hpp"

#include <algorithm>

namespace mortise::host {
namespace {

constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 20;
constexpr std::size_t kMostVersions = 4096;

// Both tables are chains without a size: take what follows in the segment, up to a limit.
Region chain(const ByteSource& source, const ElfLayout& layout, const char* name,
             std::uint64_t address) {
  const std::uint64_t size = std::min(layout.bytes_after(address), kLargestTable);
  return {source, name, layout.offset_of(name, address, size), size};
}

void count_version(const ElfVersions& versions) {
  if (versions.needs.size() + versions.definitions.size() > kMostVersions)
    throw FileFault("damaged: the tables of versions have no end",
                    "at most " + with_commas(kMostVersions) + " versions", "more");
}

void read_needs_of(const Region& table, std::uint64_t at, const Elf64_Verneed& library,
                   const ElfStrings& strings, ElfVersions& versions) {
  const std::string name = strings.at(library.vn_file);
  at += library.vn_aux;
  for (std::uint16_t i = 0; i < library.vn_cnt; ++i) {
    const auto need = table.at<Elf64_Vernaux>(at);
    versions.needs.push_back({name, strings.at(need.vna_name)});
    versions.by_index[need.vna_other & 0x7fff] = versions.needs.back().version;
    count_version(versions);
    if (need.vna_next == 0) return;
    at += need.vna_next;
  }
}

void read_needs(const Region& table, std::uint64_t count, const ElfStrings& strings,
                ElfVersions& versions) {
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, kMostVersions); ++i) {
    const auto library = table.at<Elf64_Verneed>(at);
    read_needs_of(table, at, library, strings, versions);
    if (library.vn_next == 0) return;
    at += library.vn_next;
  }
}

void read_definitions(const Region& table, std::uint64_t count, const ElfStrings& strings,
                      ElfVersions& versions) {
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, kMostVersions); ++i) {
    const auto definition = table.at<Elf64_Verdef>(at);
    const auto name = table.at<Elf64_Verdaux>(at + definition.vd_aux);
    if ((definition.vd_flags & VER_FLG_BASE) == 0) {
      versions.definitions.push_back(strings.at(name.vda_name));
      versions.by_index[definition.vd_ndx & 0x7fff] = versions.definitions.back();
      count_version(versions);
    }
    if (definition.vd_next == 0) return;
    at += definition.vd_next;
  }
}

}  // namespace

ElfVersions read_versions(const ByteSource& source, const ElfLayout& layout,
                          const ElfDynamic& dynamic, const ElfStrings& strings) {
  ElfVersions versions;
  if (const auto address = dynamic.value(DT_VERNEED))
    read_needs(chain(source, layout, "the table of needed versions", *address),
               dynamic.flags(DT_VERNEEDNUM), strings, versions);
  if (const auto address = dynamic.value(DT_VERDEF))
    read_definitions(chain(source, layout, "the table of defined versions", *address),
                     dynamic.flags(DT_VERDEFNUM), strings, versions);
  return versions;
}

}  // namespace mortise::host
