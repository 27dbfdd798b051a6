// Words that messages of the checker are made of, and what it reads from schemas.

#include "host/config/checking/checker.hpp"
#include "host/config/checking/suggestion.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

std::string bare(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string range_of(const Json& field) {
  const bool from = field.contains("minimum");
  const bool to = field.contains("maximum");
  if (from && to) return " from " + bare(field["minimum"]) + " to " + bare(field["maximum"]);
  if (from) return " from " + bare(field["minimum"]);
  return to ? " up to " + bare(field["maximum"]) : "";
}

std::string describe_scalar(const Json& field) {
  const std::string meaning = text_of(field, "meaning");
  if (meaning == "amount") return "an amount (300, 2%, 1B tokens, 3 epochs, 1h)";
  if (meaning == "duration") return "a duration (30s, 5m, 1h30m)";
  if (meaning == "bytes") return "a size (16 MiB)";
  if (meaning == "tokens") return "a count (1000, 20B, 1Mi)";
  if (meaning == "path") return "a path";
  const std::string type = text_of(field, "type");
  if (type == "boolean") return "true or false";
  if (type == "integer") return "an integer" + range_of(field);
  if (type == "number") return "a number" + range_of(field);
  return "text";
}

// A default of JSON as it would be written in a file; durations are seconds there.
Node node_of(const Json& value, const std::string& meaning) {
  Node node;
  if (value.is_array()) {
    node.kind = Node::Kind::list;
    for (const Json& item : value) node.items.push_back(node_of(item, meaning));
  } else if (value.is_object()) {
    node.kind = Node::Kind::map;
    for (const auto& [key, item] : value.items())
      node.members.push_back({key, {}, node_of(item, meaning)});
  } else if (!value.is_null()) {
    node = make_scalar(bare(value) + (value.is_number() && meaning == "duration" ? "s" : ""), {});
  }
  return node;
}

}  // namespace

std::string article(const std::string& noun) {
  const bool vowel = !noun.empty() && std::string("aeiou").find(noun.front()) != std::string::npos;
  return (vowel ? "an " : "a ") + noun;
}

std::string kind_name(const std::string& interface_id) {
  const std::string without_major = interface_id.substr(0, interface_id.rfind('/'));
  return without_major.substr(without_major.rfind('/') + 1);
}

std::vector<std::string> interface_ids(const Json& field) {
  const Json& component = field.at("component");
  if (component.is_string()) return {component.get<std::string>()};
  return component.get<std::vector<std::string>>();
}

std::string describe_field(const Json& field) {
  if (field.contains("any_of")) {
    std::string text;
    for (const Json& one : field["any_of"])
      text += (text.empty() ? "" : " or ") + describe_field(one);
    return text;
  }
  if (field.contains("component")) {
    std::string text;
    for (const std::string& id : interface_ids(field))
      text += (text.empty() ? "" : " or ") + article(kind_name(id));
    return text;
  }
  if (field.contains("enum")) {
    std::vector<std::string> words;
    for (const Json& word : field["enum"]) words.push_back(bare(word));
    return (words.size() > 1 ? "one of " : "") + list_of(words, 20);
  }
  const std::string type = text_of(field, "type");
  if (type == "array") return "a list";
  if (type == "map") return "a mapping of names";
  if (type == "object") {
    std::vector<std::string> keys;
    for (const auto& [key, unused] : properties_of(field).items()) keys.push_back(key);
    return "a mapping {" + list_of(keys, 4) + "}";
  }
  return describe_scalar(field);
}

std::string describe_node(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a mapping";
    case Node::Kind::scalar:
      break;
  }
  return node.quoted ? "the quoted text " + shown(node) : shown(node);
}

Json element_field(const Json& field) {
  Json element = field.at(field.contains("items") ? "items" : "values");
  for (const char* key : {"meaning", "minimum", "maximum", "multiple_of", "enum"}) {
    if (field.contains(key) && !element.contains(key)) element[key] = field.at(key);
  }
  return element;
}

const Json& properties_of(const Json& schema) {
  static const Json kNone = Json::object();
  const auto found = schema.find("properties");
  return found == schema.end() ? kNone : *found;
}

Node default_node(const Json& field) {
  const auto given = field.find("default");
  return given == field.end() ? Node() : node_of(*given, text_of(field, "meaning"));
}

}  // namespace mortise::host
