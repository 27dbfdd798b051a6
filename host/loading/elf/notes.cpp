#include "host/loading/elf/notes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace mortise::host {
namespace {

constexpr std::string_view kOwner{"MORTISE\0", 8};
constexpr std::uint32_t kManifestType = 2;
constexpr const char* kAdvice =
    "build with the Mortise SDK (MORTISE_PLUGIN writes it), and let no packaging step remove or "
    "rewrite notes";

std::uint64_t aligned(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

std::string text_of(std::string_view bytes) {
  if (bytes.size() > kLargestNote)
    throw FileFault("manifest is too large", "at most " + with_commas(kLargestNote) + " bytes",
                    with_commas(bytes.size()) + " bytes", "offer fewer components in one file");
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos)
    throw FileFault("manifest has no end", "a text that ends with a zero byte", "none", kAdvice);
  return std::string(bytes.substr(0, end));
}

// Adds the manifests among the notes of one segment or section.
void add_manifests(const Region& notes, std::uint64_t alignment, std::vector<std::string>& found) {
  alignment = alignment == 8 ? 8 : 4;
  std::uint64_t at = 0;
  while (notes.size() >= sizeof(Elf64_Nhdr) && at <= notes.size() - sizeof(Elf64_Nhdr)) {
    const auto header = notes.at<Elf64_Nhdr>(at);
    const std::uint64_t owner_at = at + sizeof(Elf64_Nhdr);
    const std::uint64_t text_at = at + aligned(sizeof(Elf64_Nhdr) + header.n_namesz, alignment);
    const std::string_view owner = notes.part(owner_at, header.n_namesz);
    const std::string_view text = notes.part(text_at, header.n_descsz);
    if (owner == kOwner && header.n_type == kManifestType) found.push_back(text_of(text));
    at = text_at + aligned(header.n_descsz, alignment);
  }
}

std::optional<std::string> only(std::vector<std::string> found, const char* where) {
  if (found.size() > 1)
    throw FileFault("has " + std::to_string(found.size()) + " manifests",
                    "one MORTISE_PLUGIN in a file", "several in its " + std::string(where),
                    "split the file, or list all components in one MORTISE_PLUGIN");
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

Region bounded(const ByteSource& source, const char* name, std::uint64_t offset,
               std::uint64_t size) {
  if (size > 2 * kLargestNote)
    throw FileFault("notes are too large", "at most " + with_commas(kLargestNote) + " bytes",
                    with_commas(size) + " bytes", "offer fewer components in one file");
  return {source, name, offset, size};
}

std::optional<std::string> in_segments(const ByteSource& source, const ElfLayout& layout) {
  std::vector<std::string> found;
  for (const Elf64_Phdr& segment : layout.segments)
    if (segment.p_type == PT_NOTE)
      add_manifests(bounded(source, "a segment of notes", segment.p_offset, segment.p_filesz),
                    segment.p_align, found);
  return only(std::move(found), "segments");
}

std::optional<std::string> in_sections(const ByteSource& source, const ElfLayout& layout) {
  std::vector<std::string> found;
  for (const ElfSection& section : layout.sections)
    if (section.type == SHT_NOTE)
      add_manifests(bounded(source, "a section of notes", section.offset, section.size),
                    section.alignment, found);
  return only(std::move(found), "sections");
}

const char* presence(const std::optional<std::string>& text) {
  return text ? "is there" : "is missing";
}

}  // namespace

std::string read_manifest_note(const ByteSource& source, const ElfLayout& layout) {
  const auto loaded = in_segments(source, layout);
  const auto listed = layout.sections.empty() ? loaded : in_sections(source, layout);
  if (!loaded && !listed)
    throw FileFault("has no manifest: not built with the SDK, or removed by a packaging step",
                    "a note of owner MORTISE", "none", kAdvice);
  if (loaded == listed) return *loaded;
  if (loaded && listed)
    throw FileFault("manifest differs between segments and sections", "the same text in both",
                    "two texts", kAdvice);
  throw FileFault("manifest stands in one of the two header tables only",
                  "the same text in segments and sections",
                  "segments: " + std::string(presence(loaded)) + "; sections: " + presence(listed),
                  kAdvice);
}

}  // namespace mortise::host
