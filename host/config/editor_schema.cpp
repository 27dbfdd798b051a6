#include "host/config/editor_schema.hpp"

#include <set>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/scalar.hpp"
#include "host/config/run_schema.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

Json either(Json alternatives) { return {{"anyOf", std::move(alternatives)}}; }

Json closed_object(Json properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

std::string description_of(const Json& field) {
  const std::string doc = text_of(field, "doc"), unit = text_of(field, "unit");
  return unit.empty() ? doc : doc + " (" + unit + ")";
}

// A number as YAML knows it, or one that only we read: 1_000, 1e3, 20B.
Json number_schema(const Json& field, const char* type) {
  Json number = {{"type", type}};
  for (const auto& [ours, theirs] : {std::pair("minimum", "minimum"), {"maximum", "maximum"}})
    if (field.contains(ours)) number[theirs] = field[ours];
  return either({number, {{"type", "string"}, {"pattern", "^[-+.]?[0-9]"}}});
}

// `norm: 2` is a number for an editor and a word for us.
Json choice_schema(const Json& choices) {
  Json all = choices;
  for (const Json& choice : choices)
    if (choice.is_string())
      if (const auto number = read_number(choice.get<std::string>()).value) all.push_back(*number);
  return {{"enum", all}};
}

Json scalar_schema(const Json& field) {
  const std::string type = text_of(field, "type"), meaning = text_of(field, "meaning");
  if (field.contains("enum")) return choice_schema(field["enum"]);
  if (meaning == "tokens" || meaning == "bytes") return number_schema(field, "number");
  if (meaning == "amount" || meaning == "duration") return number_schema({}, "number");
  if (type == "integer" || type == "number") return number_schema(field, type.c_str());
  if (type == "boolean") return {{"type", "boolean"}};
  return {{"type", {"string", "number", "boolean"}}};  // text: what YAML makes of `no` or `1`
}

class EditorSchema {
 public:
  explicit EditorSchema(const Catalog& catalog) : catalog_(catalog) {}
  Json root();

 private:
  Json field_schema(const Json& field);
  Json value_schema(const Json& field);
  Json properties_schema(const Json& properties);
  Json component_schema(const Json& field);
  Json node_schema(const std::string& interface_id, const std::string& key, const Json& host_keys);
  Json kind_schema(const std::string& interface_id, const Json& host_keys);

  const Catalog& catalog_;
  Json definitions_ = Json::object();
};

// A setting may also be null, which restores its default, or stand elsewhere.
Json EditorSchema::field_schema(const Json& field) {
  Json schema = either({value_schema(field), {{"$ref", "#/definitions/default_or_elsewhere"}}});
  if (const std::string text = description_of(field); !text.empty()) schema["description"] = text;
  if (field.contains("default")) schema["default"] = field["default"];
  return schema;
}

Json EditorSchema::value_schema(const Json& field) {
  const std::string type = text_of(field, "type");
  if (field.contains("any_of")) {
    Json all = Json::array();
    for (const Json& one : field["any_of"]) all.push_back(value_schema(one));
    return either(std::move(all));
  }
  if (field.contains("component")) return component_schema(field);
  if (type == "object") return closed_object(properties_schema(properties_of(field)));
  if (type == "map")
    return {{"type", "object"}, {"additionalProperties", field_schema(element_field(field))}};
  if (type != "array") return scalar_schema(field);
  const Json list = {{"type", "array"}, {"items", field_schema(element_field(field))}};
  return field.value("single", false) ? either({value_schema(element_field(field)), list}) : list;
}

Json EditorSchema::properties_schema(const Json& properties) {
  Json all = Json::object();
  for (const auto& [key, field] : properties.items()) all[key] = field_schema(field);
  return all;
}

Json EditorSchema::component_schema(const Json& field) {
  Json all = Json::array();
  for (const std::string& id : interface_ids(field)) {
    if (field.contains("host_keys")) {
      all.push_back(kind_schema(id, field["host_keys"]));
      continue;
    }
    const std::string name = kind_name(id);
    if (!definitions_.contains(name)) {
      definitions_[name] = true;  // a component may take one of its own kind
      definitions_[name] = kind_schema(id, Json::object());
    }
    all.push_back({{"$ref", "#/definitions/" + name}});
  }
  return all.size() == 1 ? all[0] : either(std::move(all));
}

Json EditorSchema::node_schema(const std::string& interface_id, const std::string& key,
                               const Json& host_keys) {
  Json names = {key};
  Json properties = {{"name", {{"type", "string"}, {"description", "address of a list element"}}}};
  properties.update(properties_schema(host_keys));
  for (const Catalog::Offer& offer : catalog_.find(interface_id, key)) {
    names.push_back(offer.plugin + ":" + key);
    properties.update(properties_schema(properties_of(offer.settings)));
  }
  properties["use"] = {{"enum", names}};
  Json node = closed_object(std::move(properties));
  node["required"] = {"use"};
  return node;
}

// A bare word, a node for each key, a shared node, or settings over a node of an included file.
Json EditorSchema::kind_schema(const std::string& interface_id, const Json& host_keys) {
  const std::vector<std::string> keys = catalog_.keys(interface_id);
  Json shared = closed_object({{"ref", {{"type", "string"}}}});
  shared["required"] = {"ref"};
  const Json names_none = {{"type", "object"}, {"properties", {{"use", false}, {"ref", false}}}};
  Json all = {{{"enum", keys}}, {{"type", "string"}, {"pattern", ":"}}, shared, names_none};
  for (const std::string& key : keys) all.push_back(node_schema(interface_id, key, host_keys));
  return either(std::move(all));
}

Json EditorSchema::root() {
  Json schema = closed_object(properties_schema(properties_of(run_schema())));
  const Json folders = {{"type", {"array", "string"}}, {"items", {{"type", "string"}}}};
  schema["properties"]["plugins"]["anyOf"].push_back(folders);
  definitions_["default_or_elsewhere"] =
      either({{{"type", "null"}}, {{"type", "string"}, {"pattern", "\\$\\{"}}});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "a run of mortise";
  schema["definitions"] = std::move(definitions_);
  return schema;
}

}  // namespace

nlohmann::json editor_schema(const Catalog& catalog) { return EditorSchema(catalog).root(); }

}  // namespace mortise::host
