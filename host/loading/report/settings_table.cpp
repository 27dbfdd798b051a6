#include "host/loading/report/settings_table.hpp"

#include "host/loading/manifest/bounded_json.hpp"
#include "host/loading/report/component_name.hpp"

namespace mortise::host {
namespace {

std::string text_in(const Json& field, const char* name) {
  const auto found = field.find(name);
  return found == field.end() || !found->is_string() ? "" : found->get<std::string>();
}

// A scalar as one writes it in a run file.
std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string component_type(const Json& ids) {
  if (ids.is_string()) return interface_kind(ids.get<std::string>()) + " component";
  std::string text;
  for (const Json& id : ids)
    text += (text.empty() ? "" : " or ") + interface_kind(id.get<std::string>());
  return text + " component";
}

std::string type_text(const Json& field) {
  if (field.contains("component")) return component_type(field["component"]);
  if (const std::string meaning = text_in(field, "meaning"); !meaning.empty()) return meaning;
  const std::string type = text_in(field, "type");
  if (type == "array") {
    const std::string items = type_text(field["items"]);
    return (field.value("single", false) ? items + " or list of " : "list of ") + items;
  }
  if (type == "map") return "map of names to " + type_text(field["values"]);
  if (type == "object") return "settings";
  if (!field.contains("enum")) return type;
  std::string choices;
  for (const Json& choice : field["enum"])
    choices += (choices.empty() ? "" : ", ") + value_text(choice);
  return "one of " + choices;
}

std::string default_text(const Json& field) {
  if (field.value("required", false)) return "required";
  if (field.contains("default")) {
    const std::string value = value_text(field["default"]);
    return value.empty() ? "empty" : "`" + value + "`";
  }
  const std::string path = text_in(field, "default_path");
  return path.empty() ? "not set" : "as `" + path + "`";
}

std::string limits_text(const Json& field) {
  std::string text;
  const auto add = [&](const char* name, const char* word) {
    if (field.contains(name)) text += (text.empty() ? "" : ", ") + (word + field[name].dump());
  };
  add("minimum", "at least ");
  add("maximum", "at most ");
  add("multiple_of", "multiple of ");
  const std::string unit = text_in(field, "unit");
  if (!unit.empty()) text += (text.empty() ? "in " : "; in ") + unit;
  return text;
}

// Bars would end a cell, line ends the table.
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

// The struct behind a setting, a list or a map of structs; null if there is none.
const Json* nested_schema(const Json& field) {
  const std::string type = text_in(field, "type");
  if (type == "object") return &field;
  if (type == "array") return nested_schema(field["items"]);
  if (type == "map") return nested_schema(field["values"]);
  return nullptr;
}

void add_rows(const Json& schema, const std::string& prefix, std::string& table) {
  for (const auto& property : schema["properties"].items()) {
    const Json& field = property.value();
    const std::string name = prefix + property.key();
    table += "| `" + name + "` | " + cell(type_text(field)) + " | " + cell(default_text(field)) +
             " | " + cell(limits_text(field)) + " | " + cell(text_in(field, "doc")) + " |\n";
    const std::string type = text_in(field, "type");
    const std::string inside = type == "array" ? "[]." : type == "map" ? ".NAME." : ".";
    if (const Json* nested = nested_schema(field)) add_rows(*nested, name + inside, table);
  }
}

std::string rules_text(const Json& schema) {
  std::string text;
  if (!schema.contains("rules")) return text;
  for (const Json& rule : schema["rules"]) {
    const std::string kind = text_in(rule, "rule");
    const std::string words = kind == "less_than"     ? " must be less than "
                              : kind == "multiple_of" ? " must be a multiple of "
                                                      : " requires ";
    text += "- `" + text_in(rule, "a") + "`" + words + "`" + text_in(rule, "b") + "`\n";
  }
  return text;
}

}  // namespace

std::string settings_table(const std::string& schema_text) {
  const Json schema = parse_bounded(schema_text);
  if (!schema.contains("properties") || schema["properties"].empty()) return "No settings.\n";
  std::string table = "| setting | type | default | limits | meaning |\n|---|---|---|---|---|\n";
  add_rows(schema, "", table);
  const std::string rules = rules_text(schema);
  return rules.empty() ? table : table + "\n" + rules;
}

}  // namespace mortise::host
