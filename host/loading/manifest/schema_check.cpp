#include "host/loading/manifest/schema_check.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "host/loading/manifest.hpp"

namespace mortise::host {
namespace {

void check_field(const JsonPlace& field);

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

void check_texts(const JsonPlace& list) {
  list.require_array();
  if (list.value().empty()) list.refuse("is empty", "at least one text");
  for (std::size_t i = 0; i < list.value().size(); ++i) list.element(i).text();
}

void check_interface(const JsonPlace& place) {
  if (!is_interface_id(place.text(128)))
    place.refuse("is no interface id", "an id like mortise/tokenizer/1");
}

void check_component(const JsonPlace& place) {
  if (!place.value().is_array()) return check_interface(place);
  if (place.value().empty()) place.refuse("is empty", "at least one interface id");
  for (std::size_t i = 0; i < place.value().size(); ++i) check_interface(place.element(i));
}

void check_type(const JsonPlace& field) {
  const JsonPlace place = field.member("type");
  const std::string type = place.text(32);
  if (type == "array") return check_field(field.member("items"));
  if (type == "map") return check_field(field.member("values"));
  if (type == "object") return check_schema(field);
  if (!is_one_of(type, {"boolean", "integer", "number", "string"}))
    place.refuse("is no type that this host knows",
                 "boolean, integer, number, string, array, map or object");
}

bool fits(const Json& value, const std::string& type) {
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  return true;
}

// A default with a meaning may be written as in a run file ("2%"); the configuration reads it.
void check_default(const JsonPlace& field) {
  if (!field.has("default") || field.has("meaning") || !field.has("type")) return;
  const JsonPlace place = field.member("default");
  const std::string type = field.member("type").text();
  if (!fits(place.value(), type)) place.refuse("does not fit its type", type);
}

void check_limits(const JsonPlace& field) {
  for (const char* name : {"minimum", "maximum", "multiple_of"})
    if (field.has(name) && !field.member(name).value().is_number())
      field.member(name).refuse("is no number", "a number");
  if (field.has("minimum") && field.has("maximum") &&
      field.member("minimum").value().get<double>() > field.member("maximum").value().get<double>())
    field.refuse("has a minimum above its maximum", "a range");
  if (field.has("multiple_of") && field.member("multiple_of").value().get<double>() <= 0)
    field.member("multiple_of").refuse("is not positive", "a number above 0");
}

void check_marks(const JsonPlace& field) {
  for (const char* name : {"required", "positional", "single"})
    if (field.has(name) && !field.member(name).value().is_boolean())
      field.member(name).refuse("is neither true nor false", "true or false");
  for (const char* name : {"doc", "unit", "since", "default_path"})
    if (field.has(name) && !field.member(name).value().is_string())
      field.member(name).refuse("is no text", "a text");
  for (const char* name : {"enum", "known_as"})
    if (field.has(name)) check_texts(field.member(name));
  if (field.has("short") && field.member("short").text().size() != 1)
    field.member("short").refuse("is no single letter", "one letter");
  if (field.has("meaning") &&
      !is_one_of(field.member("meaning").text(), {"path", "bytes", "tokens", "duration", "amount"}))
    field.member("meaning").refuse("is no meaning that this host knows",
                                   "path, bytes, tokens, duration or amount");
}

void check_field(const JsonPlace& field) {
  field.require_object();
  if (field.has("component"))
    check_component(field.member("component"));
  else
    check_type(field);
  check_limits(field);
  check_marks(field);
  check_default(field);
}

void check_rule(const JsonPlace& rule, const JsonPlace& properties) {
  const JsonPlace kind = rule.require_object().member("rule");
  if (!is_one_of(kind.text(), {"less_than", "multiple_of", "requires"}))
    kind.refuse("is no rule that this host knows", "less_than, multiple_of or requires");
  for (const char* side : {"a", "b"}) {
    const JsonPlace name = rule.member(side);
    if (!properties.has(name.text().c_str()))
      name.refuse("is no setting of this component", "the name of a setting");
  }
}

}  // namespace

void check_schema(const JsonPlace& schema) {
  schema.require_object();
  if (schema.value().empty()) return;
  if (schema.member("type").text() != "object")
    schema.member("type").refuse("is no object type", "object");
  const JsonPlace properties = schema.member("properties").require_object();
  for (const auto& property : properties.value().items()) {
    if (!is_plugin_name(property.key()))
      properties.refuse("names a setting `" + property.key() + "`", "letters, digits, '_' and '-'");
    check_field(properties.member(property.key()));
  }
  if (!schema.has("rules")) return;
  const JsonPlace rules = schema.member("rules").require_array();
  for (std::size_t i = 0; i < rules.value().size(); ++i) check_rule(rules.element(i), properties);
}

bool is_interface_id(std::string_view text) {
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view major = text.substr(last + 1);
  const bool is_number =
      !major.empty() && major.size() <= 4 && major[0] != '0' &&
      std::all_of(major.begin(), major.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number && is_plugin_name(text.substr(0, first)) &&
         is_plugin_name(text.substr(first + 1, last - first - 1));
}

}  // namespace mortise::host
