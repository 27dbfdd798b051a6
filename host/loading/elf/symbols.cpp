#include "host/loading/elf/symbols.hpp"

#include <algorithm>

namespace mortise::host {
namespace {

constexpr std::uint64_t kMostSymbols = 1'000'000;
constexpr std::uint64_t kLongestHashChain = 65536;
constexpr std::uint64_t kHashHeader = 16;

// A GNU hash table holds the exported symbols, which are the last of the symbol table.
std::uint64_t count_by_gnu_hash(const ByteSource& source, const ElfLayout& layout,
                                std::uint64_t address) {
  const char* name = "the hash table of symbols";
  const Region header(source, name, layout.offset_of(name, address, kHashHeader), kHashHeader);
  const auto buckets = header.at<std::uint32_t>(0);
  const auto first = header.at<std::uint32_t>(4);
  const std::uint64_t bucket_address =
      address + kHashHeader + std::uint64_t{header.at<std::uint32_t>(8)} * sizeof(Elf64_Xword);
  const std::uint64_t bucket_bytes = std::uint64_t{buckets} * sizeof(std::uint32_t);
  const Region table(source, name, layout.offset_of(name, bucket_address, bucket_bytes),
                     bucket_bytes);
  std::uint32_t last = 0;
  for (std::uint64_t at = 0; at < bucket_bytes; at += sizeof(std::uint32_t))
    last = std::max(last, table.at<std::uint32_t>(at));
  if (last < first) return first;  // nothing is exported

  const std::uint64_t chain_address =
      bucket_address + bucket_bytes + std::uint64_t{last - first} * sizeof(std::uint32_t);
  const std::uint64_t room = std::min(layout.bytes_after(chain_address), kLongestHashChain);
  const Region chain(source, name, layout.offset_of(name, chain_address, room), room);
  std::uint64_t index = last;
  for (std::uint64_t at = 0; (chain.at<std::uint32_t>(at) & 1) == 0; at += sizeof(std::uint32_t))
    ++index;
  return index + 1;
}

std::uint64_t count_symbols(const ByteSource& source, const ElfLayout& layout,
                            const ElfDynamic& dynamic) {
  std::uint64_t count = 0;
  if (const auto hash = dynamic.value(DT_GNU_HASH))
    count = count_by_gnu_hash(source, layout, *hash);
  if (const auto hash = dynamic.value(DT_HASH)) {
    const char* name = "the hash table of symbols";
    const Region header(source, name, layout.offset_of(name, *hash, 8), 8);
    count = std::max<std::uint64_t>(count, header.at<std::uint32_t>(4));
  }
  // The hash table of a file that exports nothing says nothing about its undefined symbols.
  for (const ElfSection& section : layout.sections)
    if (section.type == SHT_DYNSYM) count = std::max(count, section.size / sizeof(Elf64_Sym));
  return count;
}

bool is_export(const Elf64_Sym& symbol) {
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  if (symbol.st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_FILE) return false;
  if (symbol.st_shndx == SHN_ABS && symbol.st_value == 0) return false;  // the name of a version
  return (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

bool is_strong_and_undefined(const Elf64_Sym& symbol) {
  return symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0 &&
         ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
}

}  // namespace

ElfSymbols read_symbols(const ByteSource& source, const ElfLayout& layout,
                        const ElfDynamic& dynamic, const ElfStrings& strings,
                        const ElfVersions& versions) {
  const auto address = dynamic.value(DT_SYMTAB);
  if (!address) throw FileFault("damaged: no table of dynamic symbols", "one", "none");
  const std::uint64_t count = count_symbols(source, layout, dynamic);
  if (count > kMostSymbols)
    throw FileFault("damaged: too many symbols", "at most " + with_commas(kMostSymbols),
                    with_commas(count));
  const char* name = "the table of dynamic symbols";
  const std::uint64_t bytes = count * sizeof(Elf64_Sym);
  const Region table(source, name, layout.offset_of(name, *address, bytes), bytes);

  Region numbers;
  if (const auto versym = dynamic.value(DT_VERSYM)) {
    const char* label = "the table of symbol versions";
    numbers = Region(source, label, layout.offset_of(label, *versym, count * 2), count * 2);
  }
  const auto symbol_at = [&](std::uint64_t index, const Elf64_Sym& symbol) {
    ElfSymbol result{strings.at(symbol.st_name), "", ELF64_ST_TYPE(symbol.st_info) == STT_FUNC};
    if (numbers.size() == 0) return result;
    const auto number = numbers.at<std::uint16_t>(index * 2);
    const auto found = versions.by_index.find(number & 0x7fff);
    if (found != versions.by_index.end()) result.version = found->second;
    return result;
  };

  ElfSymbols symbols;
  for (std::uint64_t i = 1; i < count; ++i) {
    const auto symbol = table.at<Elf64_Sym>(i * sizeof(Elf64_Sym));
    if (is_strong_and_undefined(symbol)) symbols.undefined.push_back(symbol_at(i, symbol));
    if (is_export(symbol)) symbols.exports.push_back(symbol_at(i, symbol));
  }
  return symbols;
}

}  // namespace mortise::host
