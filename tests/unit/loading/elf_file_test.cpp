#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <vector>

#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::Depth;
using host::ElfFile;
using host::FileFault;
using host::MemorySource;

ElfFile read(const std::string& bytes) { return read_elf(MemorySource(bytes), Depth::plugin); }

// What a file that is no plugin is called.
std::string refusal_of(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const FileFault& fault) {
    CHECK_FALSE(fault.expected().empty());
    CHECK_FALSE(fault.got().empty());
    CHECK_FALSE(fault.advice().empty());
    return fault.what();
  }
  return "accepted";
}

Elf64_Ehdr header_of(const std::string& bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

std::string with_header(std::string bytes, const Elf64_Ehdr& header) {
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST_CASE("elf_file: what a plugin says about itself is read from its bytes") {
  const ElfFile file = read(bytes_of(fixture("needs_library.so")));
  CHECK(std::count(file.needed.begin(), file.needed.end(), "libmortise_extra.so") == 1);
  CHECK(file.runpath == std::vector<std::string>{"$ORIGIN"});
  REQUIRE(file.exports.size() == 1);
  CHECK(file.exports[0].name == "mortise_plugin");
  CHECK(file.exports[0].is_function);
  CHECK(std::any_of(file.undefined.begin(), file.undefined.end(),
                    [](const host::ElfSymbol& symbol) { return symbol.name == "extra"; }));
  CHECK_FALSE(file.manifest_fault.has_value());
  CHECK(contains(file.manifest, "org.mortise.fixture.libs"));
  CHECK_FALSE(file.executable_stack);
  CHECK_FALSE(file.text_relocations);
  CHECK_FALSE(file.carries_cxx_runtime);
}

TEST_CASE("elf_file: needed versions name their library") {
  const ElfFile file = read(bytes_of(fixture("static_runtime.so")));
  CHECK(file.carries_cxx_runtime);
  REQUIRE_FALSE(file.version_needs.empty());
  CHECK(std::any_of(file.version_needs.begin(), file.version_needs.end(),
                    [](const host::VersionNeed& need) {
                      return need.library == "libc.so.6" && need.version.starts_with("GLIBC_");
                    }));
}

TEST_CASE("elf_file: a file cut anywhere is called truncated") {
  const std::string whole = bytes_of(fixture("good.so"));
  const std::size_t size = whole.size();
  const Elf64_Ehdr header = header_of(whole);
  const std::size_t headers_end = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
  for (const std::size_t cut :
       {std::size_t{5}, std::size_t{16}, std::size_t{63}, std::size_t{64}, headers_end - 1,
        headers_end, size / 4, size / 2, std::size_t(header.e_shoff), size - 1}) {
    CAPTURE(cut);
    CHECK(contains(refusal_of(whole.substr(0, cut)), "truncated: "));
  }
  for (std::size_t cut = 0; cut < size; cut += 61)
    CHECK(refusal_of(whole.substr(0, cut)) != "accepted");
}

TEST_CASE("elf_file: what is no shared object is called by its name") {
  std::string random;
  for (std::uint32_t i = 0, state = 1; i < 8192; ++i, state = state * 1664525u + 1013904223u)
    random += static_cast<char>(state >> 24);
  random[0] = '\x01';
  struct Row {
    std::string bytes, name;
  };
  for (const Row& row :
       {Row{"", "is an empty file"}, Row{"hello", "is a text file that begins \"hello\""},
        Row{"/* GNU ld script\n*/ GROUP ( libc.so.6 )", "is a linker script"},
        Row{"GROUP ( a.so b.so )\n", "is a linker script"}, Row{"!<arch>\n", "is a static library"},
        Row{"#!/bin/sh\n", "is a script"}, Row{"version https://git-lfs.github.com", "Git LFS"},
        Row{random, "unknown kind that begins with the bytes 01 "},
        Row{bytes_of(fixture("executable")), "is an executable"},
        Row{bytes_of(fixture("unlinked.o")), "is an object file that was not linked"}}) {
    CAPTURE(row.name);
    CHECK(contains(refusal_of(row.bytes), row.name));
  }
}

TEST_CASE("elf_file: other machines, classes and byte orders are named") {
  const std::string good = bytes_of(fixture("good.so"));
  Elf64_Ehdr header = header_of(good);
  header.e_machine = EM_RISCV;
  CHECK(refusal_of(with_header(good, header)) == "is an ELF file for RISC-V");
  header = header_of(good);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  CHECK(refusal_of(with_header(good, header)) == "is a 32-bit ELF file");
  header = header_of(good);
  header.e_ident[EI_DATA] = ELFDATA2MSB;
  CHECK(refusal_of(with_header(good, header)) == "is an ELF file of the other byte order");
  header = header_of(good);
  header.e_type = ET_EXEC;
  CHECK(refusal_of(with_header(good, header)) == "is an executable");
}

TEST_CASE("elf_file: numbers of headers beyond the limits are refused before they are used") {
  const std::string good = bytes_of(fixture("good.so"));
  Elf64_Ehdr header = header_of(good);
  header.e_phnum = 0xffff;
  CHECK(contains(refusal_of(with_header(good, header)), "number of program headers"));
  header = header_of(good);
  header.e_shnum = 4097;
  CHECK(contains(refusal_of(with_header(good, header)), "number of section headers"));
  header = header_of(good);
  header.e_phoff = ~0ull - 8;
  CHECK(contains(refusal_of(with_header(good, header)), "truncated: "));
}

// Sets e_shoff to 0, as a tool that removes the section table does.
TEST_CASE("elf_file: without a section table the segments alone hold the manifest") {
  const std::string good = bytes_of(fixture("good.so"));
  Elf64_Ehdr header = header_of(good);
  header.e_shoff = 0;
  header.e_shnum = 0;
  header.e_shstrndx = 0;
  const ElfFile file = read(with_header(good, header));
  CHECK_FALSE(file.manifest_fault.has_value());
  CHECK(contains(file.manifest, "org.mortise.fixture.good"));
}

// Rewrites the type of every header of notes in one of the two tables.
std::string without_notes(std::string bytes, bool segments) {
  const Elf64_Ehdr header = header_of(bytes);
  const std::size_t count = segments ? header.e_phnum : header.e_shnum;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = segments ? header.e_phoff + i * sizeof(Elf64_Phdr)
                                    : header.e_shoff + i * sizeof(Elf64_Shdr) + 4;
    std::uint32_t type;
    std::memcpy(&type, bytes.data() + at, sizeof type);
    if (type != (segments ? PT_NOTE : SHT_NOTE)) continue;
    type = segments ? PT_NULL : SHT_PROGBITS;
    std::memcpy(bytes.data() + at, &type, sizeof type);
  }
  return bytes;
}

TEST_CASE("elf_file: the manifest must stand in segments and sections alike") {
  const std::string good = bytes_of(fixture("good.so"));
  for (const bool segments : {true, false}) {
    const ElfFile file = read(without_notes(good, segments));
    REQUIRE(file.manifest_fault.has_value());
    CHECK(contains(file.manifest_fault->what(), "in one of the two header tables only"));
    CHECK(contains(file.manifest_fault->got(),
                   segments ? "segments: is missing" : "sections: is missing"));
  }
  const ElfFile none = read(without_notes(without_notes(good, true), false));
  REQUIRE(none.manifest_fault.has_value());
  CHECK(contains(none.manifest_fault->what(), "has no manifest"));
}

TEST_CASE("elf_file: an offset that a table claims beyond its end is refused") {
  const std::string good = bytes_of(fixture("good.so"));
  const Elf64_Ehdr header = header_of(good);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    std::string bytes = good;
    const std::size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type == PT_GNU_STACK) continue;
    segment.p_filesz = ~0ull;
    std::memcpy(bytes.data() + at, &segment, sizeof segment);
    CAPTURE(i);
    CHECK(contains(refusal_of(bytes), "truncated: segment " + std::to_string(i)));
  }
}

}  // namespace
}  // namespace mortise::tests
