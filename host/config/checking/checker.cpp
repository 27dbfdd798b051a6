#include "host/config/checking/checker.hpp"

#include "host/config/checking/suggestion.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

std::string type_of(const Json& field) {
  if (field.contains("component")) return "component";
  return text_of(field, "type");
}

bool has_scalar_meaning(const Json& field) {
  if (const std::string type = type_of(field); type == "array" || type == "map") return false;
  const std::string meaning = text_of(field, "meaning");
  return meaning == "amount" || meaning == "duration" || meaning == "bytes" || meaning == "tokens";
}

bool takes_single(const Json& field) { return field.value("single", false); }

// Whether a node of this form can be a value of the field at all.
bool fits_shape(const Json& field, const Node& node) {
  const std::string type = has_scalar_meaning(field) ? "number" : type_of(field);
  if (type == "component") return !node.is_list();
  if (type == "array")
    return node.is_list() || (takes_single(field) && fits_shape(element_field(field), node));
  if (type == "map" || type == "object") return node.is_map();
  return node.is_scalar();
}

// An object whose every key may be left out.
bool fills_itself(const Json& field) {
  if (text_of(field, "type") != "object" || field.contains("rules")) return false;
  for (const auto& [name, property] : properties_of(field).items()) {
    if (property.value("required", false)) return false;
  }
  return true;
}

std::vector<std::string> words_of(const Json& alternatives) {
  std::vector<std::string> words;
  for (const Json& field : alternatives) {
    if (!field.contains("enum")) continue;
    for (const Json& word : field.at("enum")) {
      if (word.is_string()) words.push_back(word.get<std::string>());
    }
  }
  return words;
}

}  // namespace

std::string text_of(const Json& field, const char* key) {
  const auto found = field.find(key);
  return found != field.end() && found->is_string() ? found->get<std::string>() : "";
}

Setting Checker::check(const Json& schema, const Node& root, const std::string& owner) {
  const Spot spot{"", owner, root.place};
  sections_ = schema.value("sections", false);
  root_place_ = root.place;
  Setting setting;
  if (root.is_map() || root.is_null())
    setting = object(schema, root, spot);
  else
    add(finding::wrong_type, root.place, spot, "expected a mapping, got " + describe_node(root));
  explain_unknown_keys();
  connect_refs(setting);
  refuse_cycles(setting);
  resolve_links(setting, {});
  return setting;
}

void Checker::add(const char* id, const Place& place, const Spot& spot, const std::string& text) {
  state_.findings.add(id, place, visible(spot.path), text);
}

Setting Checker::start(const Node& node, const Spot& spot) const {
  Setting setting;
  setting.path = spot.path;
  setting.where = location(node.place);
  setting.origin = node.place.source ? describe(node.place) : "default of " + spot.owner;
  return setting;
}

Setting Checker::value(const Json& field, const Node& node, const Spot& spot) {
  if (node.faulty) return start(node, spot);
  if (node.is_null()) return absent(field, spot);
  if (field.contains("any_of")) return any_of(field, node, spot);
  return typed_value(field, node, spot);
}

Setting Checker::typed_value(const Json& field, const Node& node, const Spot& spot) {
  const std::string type = type_of(field);
  if (!fits_shape(field, node)) {
    std::string text = "expected " + describe_field(field) + ", got " + describe_node(node);
    if (type == "array" && node.is_scalar())
      text += ": write [" + shown(node).substr(1, shown(node).size() - 2) + "]";
    add(finding::wrong_type, node.place, spot, text);
    return start(node, spot);
  }
  if (has_scalar_meaning(field)) return scalar(field, node, spot);
  if (type == "component") return component(field, node, spot);
  if (type == "array") return list(field, node, spot);
  if (type == "map") return map(field, node, spot);
  if (type == "object") return object(field, node, spot);
  return scalar(field, node, spot);
}

// Runs the check of an alternative and forgets it if anything is wrong.
bool Checker::trial(const Json& field, const Node& node, const Spot& spot, Setting& out) {
  State before = state_;
  state_.findings = {};
  out = value(field, node, spot);
  if (state_.findings.empty()) return state_.findings = std::move(before.findings), true;
  state_ = std::move(before);
  return false;
}

Setting Checker::any_of(const Json& field, const Node& node, const Spot& spot) {
  std::vector<const Json*> fitting;
  std::string expected;
  for (const Json& alternative : field.at("any_of")) {
    expected += (expected.empty() ? "" : " or ") + describe_field(alternative);
    if (fits_shape(alternative, node)) fitting.push_back(&alternative);
  }
  if (fitting.size() == 1) return value(*fitting.front(), node, spot);
  Setting setting;
  for (const Json* alternative : fitting) {
    if (trial(*alternative, node, spot, setting)) return setting;
  }
  const std::string word = node.is_scalar() ? nearest(node.text, words_of(field.at("any_of"))) : "";
  for (const Json* alternative : fitting) {
    if (word.empty() && alternative->contains("component")) return value(*alternative, node, spot);
  }
  std::string text = "expected " + expected + ", got " + describe_node(node);
  if (!word.empty()) text += "; did you mean " + word + "?";
  add(finding::wrong_type, node.place, spot, text);
  return start(node, spot);
}

// What nobody set: a default, a link, nothing, or a finding.
Setting Checker::absent(const Json& field, const Spot& spot) {
  Node nobody;
  Setting setting = start(nobody, spot);
  if (const std::string link = text_of(field, "default_path"); !link.empty()) {
    setting.value = Linked{link, text_of(field, "type")};
    setting.origin = "linked to " + link;
    return setting;
  }
  if (const Node given = default_node(field); !given.is_null()) return value(field, given, spot);
  if (field.value("required", false)) {
    const bool defaults = spot.place.source && spot.place.source->kind() == Source::Kind::defaults;
    add(finding::missing, defaults ? root_place_ : spot.place, spot,
        "is missing: " + spot.owner + " needs " + describe_field(field) +
            (text_of(field, "doc").empty() ? "" : " (" + text_of(field, "doc") + ")"));
    return setting;
  }
  if (!fills_itself(field)) return setting;
  nobody.kind = Node::Kind::map;
  return object(field, nobody, spot);
}

}  // namespace mortise::host
