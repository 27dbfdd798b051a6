#include "host/loading/report/settings_table.hpp"

#include <vector>

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

// An element of a list, which takes its meaning and limits from beside the list's own.
Json element_of(const Json& field) {
  Json element = field["items"];
  for (const char* key : {"meaning", "minimum", "maximum", "enum"})
    if (field.contains(key) && !element.contains(key)) element[key] = field[key];
  return element;
}

std::string choices_text(const Json& choices) {
  std::string text;
  for (const Json& choice : choices)
    text += (text.empty() ? "`" : ", `") + value_text(choice) + "`";
  return (choices.size() > 1 ? "one of " : "") + text;
}

std::string type_text(const Json& field);

std::string list_text(const Json& field) {
  const std::string items = type_text(element_of(field));
  return "list of " + items + (field.value("single", false) ? "; one bare value too" : "");
}

std::string alternatives_text(const Json& alternatives) {
  std::string text;
  for (const Json& one : alternatives) text += (text.empty() ? "" : " or ") + type_text(one);
  return text;
}

std::string type_text(const Json& field) {
  if (field.contains("any_of")) return alternatives_text(field["any_of"]);
  if (field.contains("component")) return component_type(field["component"]);
  const std::string type = text_in(field, "type"), meaning = text_in(field, "meaning");
  if (type == "array") return list_text(field);
  if (type == "map") return "map of names to " + type_text(field["values"]);
  if (type == "object") return "mapping";
  if (!meaning.empty()) return meaning == "tokens" ? "count" : meaning;
  if (field.contains("enum")) return choices_text(field["enum"]);
  return type == "string" ? "text" : type;
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
  if (field.value("positive", false))
    text += (text.empty() ? "" : ", ") + std::string("more than 0");
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

struct Group {
  std::string prefix;  // of the names: "optimizer[]."
  const Json* fields;
};

// The mappings behind a setting: its own, those of its elements or alternatives, and the keys that
// the host reads from a component.
void find_groups(const Json& field, const std::string& name, std::vector<Group>& groups) {
  const std::string type = text_in(field, "type");
  if (field.contains("host_keys")) groups.push_back({name + ".", &field["host_keys"]});
  if (type == "object") groups.push_back({name + ".", &field["properties"]});
  if (type == "array") find_groups(field["items"], name + "[]", groups);
  if (type == "map") find_groups(field["values"], name + ".NAME", groups);
  if (!field.contains("any_of")) return;
  for (const Json& one : field["any_of"]) find_groups(one, name, groups);
}

void add_rows(const Json& fields, const std::string& prefix, std::string& table) {
  for (const auto& property : fields.items()) {
    const Json& field = property.value();
    const std::string name = prefix + property.key();
    table += "| `" + name + "` | " + cell(type_text(field)) + " | " + cell(default_text(field)) +
             " | " + cell(limits_text(field)) + " | " + cell(text_in(field, "doc")) + " |\n";
    std::vector<Group> groups;
    find_groups(field, name, groups);
    for (const Group& group : groups) add_rows(*group.fields, group.prefix, table);
  }
}

std::string names_text(const Json& names, const std::string& prefix) {
  std::string text;
  for (const Json& name : names)
    text += (text.empty() ? "`" : ", `") + prefix + name.get<std::string>() + "`";
  return text;
}

std::string rule_text(const Json& rule, const std::string& prefix) {
  const std::string kind = text_in(rule, "rule");
  if (kind == "exactly_one") return "- exactly one of " + names_text(rule["of"], prefix) + "\n";
  const std::string words = kind == "less_than"     ? "` must be less than `"
                            : kind == "multiple_of" ? "` must be a multiple of `"
                                                    : "` requires `";
  return "- `" + prefix + text_in(rule, "a") + words + prefix + text_in(rule, "b") + "`\n";
}

// Rules between settings, those inside mappings too, and names that are kept for later.
void add_rules(const Json& schema, const std::string& prefix, std::string& text) {
  if (schema.contains("rules"))
    for (const Json& rule : schema["rules"]) text += rule_text(rule, prefix);
  if (schema.contains("reserved"))
    text += "- reserved for a later version: " + names_text(schema["reserved"], prefix) + "\n";
  for (const auto& property : schema["properties"].items())
    if (text_in(property.value(), "type") == "object")
      add_rules(property.value(), prefix + property.key() + ".", text);
}

}  // namespace

std::string settings_table(const std::string& schema) {
  return schema_table(parse_bounded(schema));
}

std::string schema_table(const Json& schema) {
  if (!schema.contains("properties") || schema["properties"].empty()) return "No settings.\n";
  std::string table = "| setting | type | default | limits | meaning |\n|---|---|---|---|---|\n";
  add_rows(schema["properties"], "", table);
  std::string rules;
  add_rules(schema, "", rules);
  return rules.empty() ? table : table + "\n" + rules;
}

}  // namespace mortise::host
