#include "text_format.hpp"

#include <mortise/error.hpp>

#include "byte_source.hpp"

namespace mortise::corpus {

bool is_jsonl(const std::string& path, TextFormat format) {
  if (format != TextFormat::by_name) return format == TextFormat::jsonl;
  const std::string name = without_compression(path);
  return path == kStandardInput || name.ends_with(".jsonl") || name.ends_with(".ndjson");
}

void refuse_other_types(const std::string& path) {
  for (const std::string_view ending : {".bz2", ".xz", ".zip", ".lz4", ".7z", ".tar"})
    if (without_compression(path).ends_with(ending))
      throw DataError(path + ": this compression or archive is not supported: unpack it first");
  if (path.ends_with(".parquet") || path.ends_with(".arrow"))
    throw DataError(path +
                    ": Parquet and Arrow files are not supported: write JSONL from them, for "
                    "example with to_json(..., lines=True)");
  if (path.ends_with(".pbin"))
    throw DataError(path + " holds tokens, not text: read it with use: packed_tokens");
}

}  // namespace mortise::corpus
