#include "host/loading/elf_file.hpp"

#include <algorithm>
#include <sstream>

#include "host/loading/elf/notes.hpp"

namespace mortise::host {
namespace {

constexpr std::uint64_t kMostSearched = std::uint64_t{64} << 20;

std::vector<std::string> split(const std::string& folders) {
  std::vector<std::string> parts;
  std::istringstream stream(folders);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts;
}

void read_names(const ElfDynamic& dynamic, const ElfStrings& strings, ElfFile& file) {
  for (const std::uint64_t at : dynamic.values(DT_NEEDED)) file.needed.push_back(strings.at(at));
  if (const auto at = dynamic.value(DT_SONAME)) file.soname = strings.at(*at);
  if (const auto at = dynamic.value(DT_RUNPATH))
    file.runpath = split(strings.at(*at));
  else if (const auto old = dynamic.value(DT_RPATH))
    file.runpath = split(strings.at(*old));
}

void read_hardening(const ElfLayout& layout, const ElfDynamic& dynamic, ElfFile& file) {
  file.text_relocations =
      dynamic.value(DT_TEXTREL).has_value() || (dynamic.flags(DT_FLAGS) & DF_TEXTREL) != 0;
  // Without the header the dynamic linker takes the stack to be executable.
  const Elf64_Phdr* stack = layout.segment(PT_GNU_STACK);
  file.executable_stack = stack == nullptr || (stack->p_flags & PF_X) != 0;
  if (const Elf64_Phdr* tls = layout.segment(PT_TLS)) file.tls_bytes = tls->p_memsz;
  file.constructors = dynamic.flags(DT_INIT_ARRAYSZ) / sizeof(Elf64_Addr);
}

bool needs_cxx_runtime(const ElfFile& file) {
  return std::any_of(file.needed.begin(), file.needed.end(), [](const std::string& name) {
    return name.starts_with("libstdc++") || name.starts_with("libc++");
  });
}

// Exceptions are caught here, but the library that does it is not needed: it was linked in. The
// name of a class that only libstdc++ defines tells it from other languages.
bool carries_cxx_runtime(const ByteSource& source, const ElfLayout& layout, const ElfFile& file) {
  if (needs_cxx_runtime(file) || layout.section(".gcc_except_table") == nullptr) return false;
  const ElfSection* constants = layout.section(".rodata");
  if (constants == nullptr || constants->type == SHT_NOBITS) return false;
  const Region bytes(source, "the section of constants", constants->offset,
                     std::min(constants->size, kMostSearched));
  return bytes.bytes().find(std::string_view("St9exception\0", 13)) != std::string_view::npos;
}

void refuse_executable(const ElfDynamic& dynamic) {
  if ((dynamic.flags(DT_FLAGS_1) & DF_1_PIE) != 0)
    throw FileFault("is an executable", "a shared object", "a position-independent executable",
                    "link the plugin as a shared object, as mortise_add_plugin() does");
}

void read_manifest(const ByteSource& source, const ElfLayout& layout, ElfFile& file) {
  try {
    file.manifest = read_manifest_note(source, layout);
  } catch (const FileFault& fault) {
    file.manifest_fault = fault;
  }
}

}  // namespace

ElfFile read_elf(const ByteSource& source, Depth depth) {
  const ElfLayout layout = read_layout(source);
  const ElfDynamic dynamic(source, layout);
  refuse_executable(dynamic);
  const ElfStrings strings(
      source, layout, dynamic,
      depth == Depth::identity ? ElfStrings::Reading::single : ElfStrings::Reading::whole);
  ElfFile file;
  read_names(dynamic, strings, file);
  read_hardening(layout, dynamic, file);
  ElfVersions versions = read_versions(source, layout, dynamic, strings);
  if (depth != Depth::identity) {
    ElfSymbols symbols = read_symbols(source, layout, dynamic, strings, versions);
    file.exports = std::move(symbols.exports);
    file.undefined = std::move(symbols.undefined);
  }
  if (depth == Depth::plugin) {
    file.carries_cxx_runtime = carries_cxx_runtime(source, layout, file);
    read_manifest(source, layout, file);
  }
  file.version_needs = std::move(versions.needs);
  file.version_definitions = std::move(versions.definitions);
  return file;
}

}  // namespace mortise::host
