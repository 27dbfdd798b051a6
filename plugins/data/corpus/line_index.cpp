#include "line_index.hpp"

#include <algorithm>
#include <string_view>

namespace mortise::corpus {

LineIndex line_index(const TextBatch& batch) {
  LineIndex index;
  index.raw_bytes = batch.raw_bytes;
  index.end_offset = batch.end_offset;
  const std::string_view text = batch.buffer.text();
  const auto begin = static_cast<std::uint64_t>(batch.end_offset) - text.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      ++index.blank_lines;
    else
      index.records.push_back({begin + at, line.size()});
    at = end + 1;
  }
  return index;
}

}  // namespace mortise::corpus
