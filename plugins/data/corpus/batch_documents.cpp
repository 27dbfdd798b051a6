#include "batch_documents.hpp"

#include <simdjson.h>

#include <algorithm>
#include <mortise/error.hpp>
#include <optional>
#include <utility>

#include "../encoding/utf8.hpp"

namespace mortise::corpus {

namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::int64_t line_of_first_fault(std::string_view text) {
  std::int64_t line = 1;
  for (std::size_t at = 0; at != text.size();) {
    const encoding::Utf8Sequence sequence = encoding::utf8_at(text, at);
    if (sequence.kind != encoding::Utf8::valid) break;
    line += text[at] == '\n';
    at += sequence.size;
  }
  return line;
}

}  // namespace

BatchDocuments::BatchDocuments(const FieldExpression& field, OnError on_error)
    : record_(field), on_error_(on_error) {}

BatchDocuments::Found BatchDocuments::for_each(const TextBatch& batch, const std::string& file,
                                               const Take& take) {
  file_ = &file;
  take_ = &take;
  found_ = {};
  if (!batch.is_jsonl) {
    take_whole(batch.buffer.text());
    return std::move(found_);
  }
  // Only byte 0x0A ends a record: other characters that some readers take for line ends may stand
  // inside a text.
  std::string_view rest = batch.buffer.text();
  for (std::int64_t number = batch.first_line; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (is_blank(line))
      ++found_.blank_lines;
    else
      take_record(line, number);
  }
  return std::move(found_);
}

void BatchDocuments::take_record(std::string_view line, std::int64_t number) {
  std::string_view text;
  try {
    text = record_.text_of(line);
  } catch (const BadRecord& fault) {
    treat(number, fault.what(), [&]() -> std::string_view {
      try {
        return record_.text_of(record_.repaired(line));
      } catch (const BadRecord&) {
        return {};
      }
    });
    return;
  }
  (*take_)(text, number);
}

void BatchDocuments::take_whole(std::string_view text) {
  if (text.empty()) return;
  if (simdjson::validate_utf8(text)) return (*take_)(text, 1);
  std::string valid;
  treat(line_of_first_fault(text), "not valid UTF-8",
        [&]() -> std::string_view { return valid = encoding::valid_utf8(text); });
}

void BatchDocuments::treat(std::int64_t line, const std::string& reason,
                           const std::function<std::string_view()>& replacement) {
  if (on_error_ == OnError::fail)
    throw DataError(*file_ + ":" + std::to_string(line) + ": " + reason);
  const bool replaced = on_error_ == OnError::replace;
  found_.faults.push_back({line, reason, replaced});
  if (replaced) (*take_)(replacement(), line);
}

}  // namespace mortise::corpus
