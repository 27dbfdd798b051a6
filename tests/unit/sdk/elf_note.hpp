#pragma once

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace mortise::tests {

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The manifests in the notes of an ELF file's program headers, by the shortest way: what the host's
// own bounded reader finds is compared with it.
inline std::vector<std::string> manifests_in(const std::string& path) {
  const std::string bytes = bytes_of_file(path);
  std::vector<std::string> found;
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return found;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (int i = 0; i != header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + std::size_t(i) * header.e_phentsize,
                sizeof segment);
    if (segment.p_type != PT_NOTE) continue;
    std::size_t at = segment.p_offset;
    while (at + sizeof(Elf64_Nhdr) <= segment.p_offset + segment.p_filesz) {
      Elf64_Nhdr note;
      std::memcpy(&note, bytes.data() + at, sizeof note);
      const char* const owner = bytes.data() + at + sizeof note;
      const char* const text = owner + (note.n_namesz + 3u) / 4 * 4;
      if (std::string_view(owner, note.n_namesz) == std::string_view("MORTISE\0", 8) &&
          note.n_type == 2)
        found.emplace_back(text, strnlen(text, note.n_descsz));
      at = std::size_t(text - bytes.data()) + (note.n_descsz + 3u) / 4 * 4;
    }
  }
  return found;
}

}  // namespace mortise::tests
