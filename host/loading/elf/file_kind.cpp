#include "host/loading/elf/file_kind.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <bit>

namespace mortise::host {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#else
#error "add the ELF machine number of this architecture"
#endif
constexpr unsigned char kByteOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "AArch64";
    case EM_386:
      return "x86 (32 bit)";
    case EM_ARM:
      return "ARM (32 bit)";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "S/390";
    case EM_CUDA:
      return "an NVIDIA GPU";
    default:
      return "machine number " + std::to_string(machine);
  }
}

struct Beginning {
  std::string_view bytes;
  const char* kind;
};

constexpr std::array<Beginning, 13> kBeginnings = {{
    {"!<arch>\n", "a static library (ar archive)"},
    {"/* GNU ld script", "a linker script"},
    {"GROUP", "a linker script"},
    {"INPUT", "a linker script"},
    {"OUTPUT_FORMAT", "a linker script"},
    {"#!", "a script"},
    {"MZ", "a Windows program or library"},
    {"\xcf\xfa\xed\xfe", "a macOS program or library"},
    {"PK\x03\x04", "a zip archive"},
    {"\x1f\x8b", "a gzip archive"},
    {"version https://git-lfs", "a Git LFS pointer, not the file itself"},
    {"<!DOCTYPE", "an HTML page"},
    {"<html", "an HTML page"},
}};

bool is_printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte != 0x7f) || byte == '\n' || byte == '\r' || byte == '\t';
}

std::string first_line(std::string_view text) {
  const std::string_view line = text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
  return line.size() > 40 ? std::string(line.substr(0, 40)) + "..." : std::string(line);
}

std::string in_hexadecimal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    if (!text.empty()) text += ' ';
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

// What a file that is no ELF file is, judged from its first bytes.
std::string kind_of_bytes(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  for (const Beginning& known : kBeginnings)
    if (bytes.starts_with(known.bytes)) return known.kind;
  if (std::all_of(bytes.begin(), bytes.end(), is_printable) &&
      std::all_of(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) == 0; }))
    return "a text file that begins \"" + first_line(bytes) + "\"";
  return "a file of an unknown kind that begins with the bytes " +
         in_hexadecimal(bytes.substr(0, 4));
}

[[noreturn]] void refuse(const std::string& kind, const std::string& advice) {
  throw FileFault("is " + kind, "a 64-bit shared object for " + machine_name(kMachine), kind,
                  advice);
}

void require_object_type(std::uint16_t type) {
  const std::string rebuild = "link the plugin as a shared object, as mortise_add_plugin() does";
  switch (type) {
    case ET_DYN:
      return;
    case ET_REL:
      refuse("an object file that was not linked", rebuild);
    case ET_EXEC:
      refuse("an executable", rebuild);
    case ET_CORE:
      refuse("a core dump", "give the plugin's .so file");
    default:
      refuse("an ELF file of type " + std::to_string(type), rebuild);
  }
}

}  // namespace

void require_shared_object(const ByteSource& source) {
  const Region start(source, "the first bytes", 0, std::min<std::uint64_t>(source.size(), 512));
  const std::string_view bytes = start.bytes();
  if (!bytes.starts_with(std::string_view(ELFMAG, SELFMAG)))
    refuse(kind_of_bytes(bytes), "give the plugin's .so file, complete");
  if (bytes.size() < EI_NIDENT)
    throw FileFault("truncated: the ELF header ends at byte " + with_commas(sizeof(Elf64_Ehdr)),
                    "every table and segment inside the file",
                    "a file of " + with_commas(bytes.size()) + " bytes");
  const std::string rebuild = "rebuild the plugin for " + machine_name(kMachine);
  if (bytes[EI_CLASS] == ELFCLASS32) refuse("a 32-bit ELF file", rebuild);
  if (bytes[EI_CLASS] != ELFCLASS64) refuse("an ELF file of an unknown class", rebuild);
  if (static_cast<unsigned char>(bytes[EI_DATA]) != kByteOrder)
    refuse("an ELF file of the other byte order", rebuild);
  const auto header = Region(source, "the ELF header", 0, sizeof(Elf64_Ehdr)).at<Elf64_Ehdr>(0);
  if (header.e_machine != kMachine)
    refuse("an ELF file for " + machine_name(header.e_machine), rebuild);
  require_object_type(header.e_type);
  if (bytes[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT)
    refuse("an ELF file of an unknown version", rebuild);
}

}  // namespace mortise::host
