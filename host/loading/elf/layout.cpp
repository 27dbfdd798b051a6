#include "host/loading/elf/layout.hpp"

#include <bit>
#include <limits>

#include "host/loading/elf/file_kind.hpp"

namespace mortise::host {
namespace {

constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 36;
constexpr std::uint64_t kPageBytes = 4096;

[[noreturn]] void damaged(const std::string& what, std::string expected, std::string got) {
  throw FileFault("damaged: " + what, std::move(expected), std::move(got));
}

void check_segment(const Elf64_Phdr& segment, std::size_t index, std::uint64_t file_size) {
  const std::string name = "segment " + std::to_string(index);
  if (segment.p_offset > file_size || segment.p_filesz > file_size - segment.p_offset)
    throw FileFault(
        "truncated: " + name + " ends at byte " + with_commas(segment.p_offset + segment.p_filesz),
        "every segment inside the file", "a file of " + with_commas(file_size) + " bytes");
  if (segment.p_type != PT_LOAD) return;
  if (segment.p_filesz > segment.p_memsz)
    damaged(name + " is larger in the file than in memory",
            "at most " + with_commas(segment.p_memsz), with_commas(segment.p_filesz) + " bytes");
  if (segment.p_vaddr > kLargestImage || segment.p_memsz > kLargestImage)
    damaged(name + " lies beyond any sensible address", "less than 64 GiB",
            with_commas(segment.p_vaddr) + " and " + with_commas(segment.p_memsz) + " bytes");
  if (segment.p_align < kPageBytes || !std::has_single_bit(segment.p_align) ||
      (segment.p_vaddr - segment.p_offset) % segment.p_align != 0)
    damaged(name + " is not aligned", "address and offset equal within a page of the file",
            "alignment " + with_commas(segment.p_align));
}

void check_segments(const std::vector<Elf64_Phdr>& segments, std::uint64_t file_size) {
  std::uint64_t end = 0;
  bool loads = false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Elf64_Phdr& segment = segments[i];
    if (segment.p_type == PT_NULL || segment.p_type == PT_GNU_STACK) continue;
    check_segment(segment, i, file_size);
    if (segment.p_type != PT_LOAD) continue;
    if (loads && segment.p_vaddr < end)
      damaged("segment " + std::to_string(i) + " overlaps the one before it",
              "segments in ascending order", "address " + with_commas(segment.p_vaddr));
    end = segment.p_vaddr + segment.p_memsz;
    loads = true;
  }
  if (!loads) damaged("nothing to load", "at least one loadable segment", "none");
}

std::vector<Elf64_Phdr> read_segments(const ByteSource& source, const Elf64_Ehdr& header) {
  if (header.e_phnum == 0 || header.e_phnum > kMostHeaders)
    damaged("number of program headers", "1 to " + with_commas(kMostHeaders),
            with_commas(header.e_phnum));
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    damaged("size of a program header", std::to_string(sizeof(Elf64_Phdr)),
            std::to_string(header.e_phentsize));
  const Region table(source, "the table of program headers", header.e_phoff,
                     header.e_phnum * sizeof(Elf64_Phdr));
  std::vector<Elf64_Phdr> segments;
  for (std::size_t i = 0; i < header.e_phnum; ++i)
    segments.push_back(table.at<Elf64_Phdr>(i * sizeof(Elf64_Phdr)));
  check_segments(segments, source.size());
  return segments;
}

Region section_names(const ByteSource& source, const Elf64_Ehdr& header, const Region& table) {
  if (header.e_shstrndx == SHN_UNDEF) return {};
  if (header.e_shstrndx >= header.e_shnum)
    damaged("number of the table of section names", "less than " + with_commas(header.e_shnum),
            with_commas(header.e_shstrndx));
  const auto names = table.at<Elf64_Shdr>(header.e_shstrndx * sizeof(Elf64_Shdr));
  return {source, "the table of section names", names.sh_offset, names.sh_size};
}

ElfSection section_of(const Elf64_Shdr& header, std::size_t index, const Region& names,
                      std::uint64_t file_size) {
  const bool in_file = header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS;
  if (in_file && (header.sh_offset > file_size || header.sh_size > file_size - header.sh_offset))
    throw FileFault("truncated: section " + std::to_string(index) + " ends at byte " +
                        with_commas(header.sh_offset + header.sh_size),
                    "every section inside the file",
                    "a file of " + with_commas(file_size) + " bytes");
  return {names.size() > 0 ? names.text(header.sh_name) : std::string(),
          header.sh_type,
          header.sh_addr,
          header.sh_offset,
          header.sh_size,
          header.sh_addralign};
}

std::vector<ElfSection> read_sections(const ByteSource& source, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return {};
  if (header.e_shnum == 0 || header.e_shnum > kMostHeaders)
    damaged("number of section headers", "1 to " + with_commas(kMostHeaders),
            with_commas(header.e_shnum));
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    damaged("size of a section header", std::to_string(sizeof(Elf64_Shdr)),
            std::to_string(header.e_shentsize));
  const Region table(source, "the table of section headers", header.e_shoff,
                     header.e_shnum * sizeof(Elf64_Shdr));
  const Region names = section_names(source, header, table);
  std::vector<ElfSection> sections;
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    sections.push_back(
        section_of(table.at<Elf64_Shdr>(i * sizeof(Elf64_Shdr)), i, names, source.size()));
  return sections;
}

bool holds(const Elf64_Phdr& segment, std::uint64_t address, std::uint64_t size,
           std::uint64_t room) {
  return segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
         address - segment.p_vaddr <= room && size <= room - (address - segment.p_vaddr);
}

}  // namespace

std::uint64_t ElfLayout::offset_of(std::string_view what, std::uint64_t address,
                                   std::uint64_t size) const {
  for (const Elf64_Phdr& segment : segments)
    if (holds(segment, address, size, segment.p_filesz))
      return segment.p_offset + (address - segment.p_vaddr);
  damaged(std::string(what) + " lies outside of all segments", "an address that is loaded",
          with_commas(size) + " bytes at address " + with_commas(address));
}

std::uint64_t ElfLayout::bytes_after(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments)
    if (holds(segment, address, 0, segment.p_filesz))
      return segment.p_filesz - (address - segment.p_vaddr);
  return 0;
}

bool ElfLayout::is_loaded(std::uint64_t address, std::uint64_t size) const {
  for (const Elf64_Phdr& segment : segments)
    if (holds(segment, address, size, segment.p_memsz)) return true;
  return false;
}

const Elf64_Phdr* ElfLayout::segment(std::uint32_t type) const {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == type) return &segment;
  return nullptr;
}

const ElfSection* ElfLayout::section(std::string_view name) const {
  for (const ElfSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

ElfLayout read_layout(const ByteSource& source) {
  require_shared_object(source);
  const auto header = Region(source, "the ELF header", 0, sizeof(Elf64_Ehdr)).at<Elf64_Ehdr>(0);
  return {read_segments(source, header), read_sections(source, header)};
}

}  // namespace mortise::host
