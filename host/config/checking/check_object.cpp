// Checker: lists, maps of free names, objects and the rules between their keys.

#include <algorithm>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/scalar.hpp"
#include "host/config/checking/suggestion.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

std::string number_text(const Setting& setting) {
  if (const auto* whole = std::get_if<std::int64_t>(&setting.value)) return std::to_string(*whole);
  return write_number(setting.as_double());
}

bool is_number(const Setting* setting) {
  return setting != nullptr && (std::holds_alternative<std::int64_t>(setting->value) ||
                                std::holds_alternative<double>(setting->value));
}

bool divides(const Setting& a, const Setting& b) {
  const auto* whole_a = std::get_if<std::int64_t>(&a.value);
  const auto* whole_b = std::get_if<std::int64_t>(&b.value);
  return !whole_a || !whole_b || *whole_b == 0 || *whole_a % *whole_b == 0;
}

// How the elements of a list of components are addressed: by name where that is unique, else by
// number; other lists by number.
std::vector<std::string> element_steps(const Node& list, bool by_name) {
  std::map<std::string, int> uses;
  if (by_name) {
    for (const Node& item : list.items) ++uses[element_name(item)];
  }
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const std::string name = by_name ? element_name(list.items[i]) : "";
    const bool fit = !name.empty() && !is_index(name) && name.find('.') == std::string::npos;
    steps.push_back(fit && uses[name] == 1 ? name : std::to_string(i));
  }
  return steps;
}

}  // namespace

Setting Checker::list(const Json& field, const Node& node, const Spot& spot) {
  Setting setting = start(node, spot);
  Setting::List items;
  const Json item_field = element_field(field);
  Node one;
  one.kind = Node::Kind::list;
  if (!node.is_list()) one.items.push_back(node);
  const Node& all = node.is_list() ? node : one;
  const std::vector<std::string> steps = element_steps(all, item_field.contains("component"));
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    const Node& item = all.items[i];
    const Spot at{node.is_list() ? join_path(spot.path, steps[i]) : spot.path, spot.owner,
                  item.place};
    if (item.is_null())
      add(finding::wrong_type, item.place, at, "an element of a list may not be empty");
    else
      items.push_back(value(item_field, item, at));
  }
  setting.value = std::move(items);
  return setting;
}

Setting Checker::map(const Json& field, const Node& node, const Spot& spot) {
  Setting setting = start(node, spot);
  Setting::Map values;
  const Json value_field = element_field(field);
  for (const Member& member : node.members) {
    const Spot at{join_path(spot.path, member.key), spot.owner, member.place};
    if (const std::string fault = judge_name(member.key, false); !fault.empty()) {
      add(finding::bad_name, member.place, at, fault);
      continue;
    }
    if (!member.value.is_null())
      values.push_back({member.key, value(value_field, member.value, at)});
  }
  setting.value = std::move(values);
  return setting;
}

Setting Checker::object(const Json& field, const Node& node, const Spot& spot) {
  Setting setting = start(node, spot);
  const bool section = !spot.path.empty() && spot.path.find('.') == std::string::npos;
  const Spot inside{spot.path, section ? spot.path : spot.owner, spot.place};
  setting.value = entries(properties_of(field), node, inside);
  refuse_unknown(node, {&properties_of(field)}, field, inside);
  check_rules(field, node, setting, inside);
  return setting;
}

std::vector<Entry> Checker::entries(const Json& properties, const Node& node, const Spot& spot) {
  std::vector<Entry> out;
  remember_homes(properties, spot.path);
  for (const auto& [key, field] : properties.items()) {
    const Member* member = node.find_member(key);
    const Spot at{join_path(spot.path, key), spot.owner, member ? member->place : spot.place};
    Setting setting = member ? value(field, member->value, at) : absent(field, at);
    if (setting.is_set()) out.push_back({key, std::move(setting)});
  }
  return out;
}

void Checker::remember_homes(const Json& properties, const std::string& path) {
  constexpr std::size_t kEnough = 16;  // of one key, for messages
  for (const auto& [key, field] : properties.items()) {
    const std::string here = join_path(path, key);
    auto& homes = state_.homes[key];
    const bool known = std::find(homes.begin(), homes.end(), here) != homes.end();
    if (!known && homes.size() < kEnough) homes.push_back(here);
    if (text_of(field, "type") == "object") remember_homes(properties_of(field), here);
  }
}

void Checker::refuse_unknown(const Node& node, const std::vector<const Json*>& properties,
                             const Json& schema, const Spot& spot) {
  KnownKeys known;
  for (const Json* fields : properties) {
    for (const auto& [key, field] : fields->items()) {
      known[key] = field.value("known_as", std::vector<std::string>());
    }
  }
  const auto reserved = schema.value("reserved", std::vector<std::string>());
  bool any = false;
  for (const Member& member : node.members) {
    if (known.contains(member.key)) continue;
    if (std::find(reserved.begin(), reserved.end(), member.key) != reserved.end()) {
      add(finding::reserved, member.place, {join_path(spot.path, member.key), "", {}},
          "is reserved for later; this version does not know it yet");
      continue;
    }
    any = true;
    state_.unknown.push_back({member.key, member.place, spot, state_.known.size()});
  }
  if (any) state_.known.push_back(std::move(known));
}

void Checker::check_rules(const Json& schema, const Node& node, const Setting& object,
                          const Spot& spot) {
  const auto rules = schema.find("rules");
  if (rules == schema.end()) return;
  for (const Json& rule : *rules) check_rule(rule, node, object, spot);
}

void Checker::check_rule(const Json& rule, const Node& node, const Setting& object,
                         const Spot& spot) {
  const std::string name = text_of(rule, "rule");
  if (name == "exactly_one") return check_exactly_one(rule.at("of"), node, spot);
  const std::string a_name = text_of(rule, "a");
  const std::string b_name = text_of(rule, "b");
  const Setting* a = object.find(a_name);
  const Setting* b = object.find(b_name);
  const Member* written = node.find_member(a_name);
  const Place place = written ? written->place : spot.place;
  const Spot at{join_path(spot.path, a_name), spot.owner, place};
  if (name == "requires" && written && !written->value.is_null() && b == nullptr) {
    add(finding::rule_broken, place, at, "needs " + b_name + " to be set too");
  }
  if (!is_number(a) || !is_number(b)) return;
  const std::string values = " (" + number_text(*a) + " and " + number_text(*b) + ")";
  if (name == "less_than" && !(a->as_double() < b->as_double())) {
    add(finding::rule_broken, place, at, "must be less than " + b_name + values);
  }
  if (name == "multiple_of" && !divides(*a, *b)) {
    add(finding::rule_broken, place, at, "must be a multiple of " + b_name + values);
  }
}

void Checker::check_exactly_one(const Json& names, const Node& node, const Spot& spot) {
  std::vector<std::string> all;
  std::vector<const Member*> given;
  for (const Json& name : names) {
    all.push_back(name.get<std::string>());
    const Member* member = node.find_member(all.back());
    if (member && !member->value.is_null()) given.push_back(member);
  }
  if (given.size() == 1) return;
  if (given.empty()) {
    return add(finding::missing, spot.place, spot,
               "exactly one of " + list_of(all) + " is needed, there is none");
  }
  const Spot at{join_path(spot.path, given[1]->key), spot.owner, given[1]->place};
  add(finding::rule_broken, given[1]->place, at,
      "exactly one of " + list_of(all) + " is needed; " + given[0]->key + " is set too (" +
          describe(given[0]->place) + ")");
}

}  // namespace mortise::host
