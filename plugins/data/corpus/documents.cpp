#include "documents.hpp"

#include <algorithm>
#include <mortise/error.hpp>

#include "jsonl_record.hpp"

namespace mortise::corpus {

namespace {

void refuse_other_types(const std::string& path) {
  for (const std::string_view ending : {".gz", ".zst", ".bz2", ".xz", ".zip"})
    if (path.ends_with(ending)) throw DataError(path + " is compressed: unpack it first");
  if (path.ends_with(".pbin"))
    throw DataError(path + " holds tokens, not text: read it with use: packed_tokens");
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Only byte 0x0A ends a record: other characters that some readers take for line ends may stand
// inside a text.
DocumentCount for_each_record(const pbin::MappedFile& file, std::string_view field,
                              const std::function<void(std::string_view)>& take) {
  DocumentCount count;
  JsonlRecord record(field);
  std::string_view rest = file.bytes();
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // byte-order mark
  for (std::int64_t line = 1; !rest.empty(); ++line) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    if (is_blank(text)) {
      ++count.blank_lines;
      continue;
    }
    try {
      take(record.text_of(text));
    } catch (const BadRecord& e) {
      throw DataError(file.path() + ":" + std::to_string(line) + ": " + e.what());
    }
    ++count.documents;
  }
  return count;
}

}  // namespace

bool is_jsonl(std::string_view path) { return path.ends_with(".jsonl"); }

DocumentCount for_each_document(const pbin::MappedFile& file, std::string_view field,
                                const std::function<void(std::string_view text)>& take) {
  refuse_other_types(file.path());
  if (is_jsonl(file.path())) return for_each_record(file, field, take);
  if (file.bytes().empty()) return {};
  take(file.bytes());
  return {1, 0};
}

}  // namespace mortise::corpus
