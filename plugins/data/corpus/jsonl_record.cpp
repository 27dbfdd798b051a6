#include "jsonl_record.hpp"

#include <simdjson.h>

#include <optional>
#include <utility>

#include "../encoding/json_text.hpp"
#include "../encoding/utf8.hpp"
#include "surrogate_escapes.hpp"
#include "text_batch.hpp"

namespace mortise::corpus {

namespace {

std::string key_text(std::string_view key) {
  constexpr std::size_t longest = 40;
  return encoding::json_string(key.size() > longest ? std::string(key.substr(0, longest)) + "…"
                                                    : std::string(key));
}

std::string keys_of(simdjson::dom::object object) {
  constexpr int shown = 12;
  std::string keys;
  int n = 0;
  for (const auto field : object) {
    if (++n > shown) return keys + ", …";
    keys += (n == 1 ? "" : ", ") + key_text(field.key);
  }
  return n == 0 ? "it has no keys" : "its keys are " + keys;
}

const char* type_name(simdjson::dom::element_type type) {
  using Type = simdjson::dom::element_type;
  switch (type) {
    case Type::ARRAY:
      return "a list";
    case Type::OBJECT:
      return "an object";
    case Type::STRING:
      return "text";
    case Type::BOOL:
      return "a boolean";
    case Type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

using Element = simdjson::dom::element;

// "key "text"", "key ".meta.body"": the first `depth` keys of a path.
std::string asked_for(const std::vector<std::string>& path, std::size_t depth) {
  if (depth == 1) return "key " + key_text(path[0]);
  std::string joined;
  for (std::size_t i = 0; i != depth; ++i) joined += "." + path[i];
  return "key " + key_text(joined);
}

Element only_value(simdjson::dom::object object, const std::vector<std::string>& path,
                   std::size_t level) {
  std::optional<Element> value;
  for (const auto field : object) {
    if (field.key != path[level]) continue;
    if (value) throw BadRecord(asked_for(path, level + 1) + " stands there twice");
    value = field.value;
  }
  if (!value) throw BadRecord("no " + asked_for(path, level + 1) + "; " + keys_of(object));
  return *value;
}

std::string_view text_at(Element record, const std::vector<std::string>& path) {
  Element value = record;
  simdjson::dom::object object;
  for (std::size_t level = 0; level != path.size(); ++level) {
    if (value.get(object) != simdjson::SUCCESS)
      throw BadRecord((level == 0 ? "" : asked_for(path, level) + ": ") +
                      std::string("expected an object, got ") + type_name(value.type()));
    value = only_value(object, path, level);
  }
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS)
    throw BadRecord(asked_for(path, path.size()) + " is " + type_name(value.type()) +
                    ", expected text; " + keys_of(object));
  return text;
}

// A parser keeps the memory of the largest record that it has seen.
constexpr std::size_t kKeptCapacity = 16 << 20;

}  // namespace

struct JsonlRecord::Parser {
  simdjson::dom::parser dom;
};

JsonlRecord::JsonlRecord(FieldExpression field)
    : field_(std::move(field)), parser_(std::make_unique<Parser>()) {}
JsonlRecord::~JsonlRecord() = default;

std::string_view JsonlRecord::text_of(std::string_view line) {
  static_assert(TextBuffer::kPadding >= simdjson::SIMDJSON_PADDING);
  if (parser_->dom.capacity() > kKeptCapacity) parser_ = std::make_unique<Parser>();
  Element record;
  const bool copy = false;  // the padding is there
  if (const auto error = parser_->dom.parse(line.data(), line.size(), copy).get(record))
    throw BadRecord(std::string("not valid JSON: ") + simdjson::error_message(error));
  if (field_.parts.size() == 1 && !field_.parts[0].path.empty())
    return text_at(record, field_.parts[0].path);
  joined_.clear();
  for (const FieldExpression::Part& part : field_.parts)
    joined_ += part.path.empty() ? part.literal : text_at(record, part.path);
  return joined_;
}

std::string_view JsonlRecord::repaired(std::string_view line) {
  repaired_ = without_lone_surrogates(encoding::valid_utf8(line));
  repaired_.reserve(repaired_.size() + TextBuffer::kPadding);
  return repaired_;
}

}  // namespace mortise::corpus
