#include "jsonl_record.hpp"

#include <simdjson.h>

#include <optional>

#include "../encoding/json_text.hpp"

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

}  // namespace

struct JsonlRecord::Parser {
  simdjson::dom::parser dom;
};

JsonlRecord::JsonlRecord(std::string_view field)
    : field_(field), parser_(std::make_unique<Parser>()) {}
JsonlRecord::~JsonlRecord() = default;

std::string_view JsonlRecord::text_of(std::string_view line) {
  simdjson::dom::element record;
  if (const auto error = parser_->dom.parse(line.data(), line.size()).get(record))
    throw BadRecord(std::string("not valid JSON: ") + simdjson::error_message(error));
  simdjson::dom::object object;
  if (record.get(object) != simdjson::SUCCESS)
    throw BadRecord(std::string("expected an object, got ") + type_name(record.type()));
  const std::string asked = "key " + key_text(field_);
  std::optional<simdjson::dom::element> value;
  for (const auto field : object) {
    if (field.key != field_) continue;
    if (value) throw BadRecord(asked + " stands there twice");
    value = field.value;
  }
  if (!value) throw BadRecord("no " + asked + "; " + keys_of(object));
  std::string_view text;
  if (value->get(text) != simdjson::SUCCESS)
    throw BadRecord(asked + " is " + type_name(value->type()) + ", expected text; " +
                    keys_of(object));
  return text;
}

}  // namespace mortise::corpus
