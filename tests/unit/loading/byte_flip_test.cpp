// Two thousand damaged copies of a plugin: each gets a judgement, none an access out of bounds
// (every table lies in memory of exactly its size, so the address sanitizer sees one).

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <random>
#include <vector>

#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

struct Part {
  std::size_t begin, end;
};

// Headers, notes, dynamic section, symbols, strings, hash and version tables; no code.
std::vector<Part> interesting_parts(const std::string& bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<Part> parts = {
      {0, sizeof header},
      {header.e_phoff, header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr)},
      {header.e_shoff, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr)}};
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof section, sizeof section);
    switch (section.sh_type) {
      case SHT_NOTE:
      case SHT_DYNAMIC:
      case SHT_DYNSYM:
      case SHT_STRTAB:
      case SHT_GNU_HASH:
      case SHT_HASH:
      case SHT_GNU_verneed:
      case SHT_GNU_verdef:
      case SHT_GNU_versym:
        if (section.sh_size > 0)
          parts.push_back({section.sh_offset, section.sh_offset + section.sh_size});
    }
  }
  return parts;
}

// One of: a flipped bit, an extreme byte, an extreme 8-byte number.
void damage(std::string& bytes, const Part& part, std::mt19937& random) {
  const std::size_t at = part.begin + random() % (part.end - part.begin);
  constexpr std::uint64_t kExtremes[] = {0,     1,          0x7fffffff, 0xffffffff,
                                         ~0ull, ~0ull - 63, 1ull << 63};
  switch (random() % 3) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes[at] = random() % 2 == 0 ? '\xff' : '\0';
      break;
    default: {
      const std::uint64_t value = kExtremes[random() % std::size(kExtremes)];
      std::memcpy(bytes.data() + at, &value,
                  std::min<std::size_t>(sizeof value, bytes.size() - at));
    }
  }
}

void judge_damaged(const std::string& name, int copies) {
  const std::string whole = bytes_of(fixture(name));
  const std::vector<Part> parts = interesting_parts(whole);
  const host::HostIdentity host = fitting_host();
  std::mt19937 random(20240229);  // fixed: a failure repeats
  int refused = 0;
  for (int i = 0; i < copies; ++i) {
    std::string bytes = whole;
    for (unsigned n = 1 + random() % 3; n > 0; --n)
      damage(bytes, parts[random() % parts.size()], random);
    CAPTURE(i);
    const host::Judgement judgement = judge_bytes(host::MemorySource(bytes), fixture(name), host);
    for (const host::PluginFinding& found : judgement.findings) CHECK_FALSE(found.what.empty());
    refused += judgement.accepted() ? 0 : 1;
  }
  CHECK(refused > copies / 4);
}

TEST_CASE("elf_file: damaged copies of a plugin are judged, never crash") {
  judge_damaged("good.so", 1000);
}

TEST_CASE("elf_file: damaged copies of a plugin with version tables are judged, never crash") {
  judge_damaged("static_runtime.so", 1000);
}

}  // namespace
}  // namespace mortise::tests
