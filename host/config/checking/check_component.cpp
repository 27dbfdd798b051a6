// Checker: component nodes.

#include <algorithm>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/suggestion.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

const Json& host_keys_of(const Json& field) {
  static const Json kNone = Json::object();
  const auto found = field.find("host_keys");
  return found == field.end() ? kNone : *found;
}

// Keys of every node; `name` tells elements of a list apart.
const Json& node_keys() {
  static const Json kKeys = Json::parse(R"({"use": {"type": "string"}})");
  return kKeys;
}

const Json& name_key() {
  static const Json kKey = Json::parse(
      R"({"name": {"type": "string", "meaning": "name", "doc": "address of a list element; default its use"}})");
  return kKey;
}

// "org.x.models:llama" -> plugin, key.
std::pair<std::string, std::string> split_use(const std::string& use) {
  const auto colon = use.rfind(':');
  if (colon == std::string::npos) return {"", use};
  return {use.substr(0, colon), use.substr(colon + 1)};
}

std::string kinds(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : " or ") + kind_name(id);
  return text;
}

std::string offered_by(const Catalog::Offer& offer) {
  return offer.plugin + (offer.version.empty() ? "" : " " + offer.version) + " (" + offer.file +
         ")";
}

}  // namespace

Setting Checker::component(const Json& field, const Node& node, const Spot& spot) {
  if (node.is_scalar()) return built_component(field, make_map(node.place), node, spot);
  if (node.find("ref") != nullptr) return shared_component(field, node, spot);
  const Node* use = node.find("use");
  if (use != nullptr && use->faulty) return start(node, spot);
  if (use != nullptr && use->is_scalar()) return built_component(field, node, *use, spot);
  if (use == nullptr && !node.implied_use.empty()) {
    return built_component(field, node, make_scalar(node.implied_use, node.implied_place), spot);
  }
  std::vector<std::string> keys;
  for (const std::string& id : interface_ids(field)) {
    for (std::string& key : catalog_.keys(id)) keys.push_back(std::move(key));
  }
  add(finding::no_component, node.place, spot,
      "names no component: write use: with " + describe_field(field) +
          (keys.empty() ? "" : " (there are " + list_of(keys) + ")"));
  return start(node, spot);
}

Setting Checker::shared_component(const Json& field, const Node& node, const Spot& spot) {
  Setting setting = start(node, spot);
  const Node& target = *node.find("ref");
  if (node.members.size() > 1) {
    add(finding::rule_broken, node.place, spot,
        "a node with ref: shares another one whole and takes no further keys");
  }
  if (target.faulty) return setting;
  if (!target.is_scalar() || target.text.empty()) {
    add(finding::wrong_type, target.place, spot,
        "ref: expected the path of a component, got " + describe_node(target));
    return setting;
  }
  ComponentNode shared;
  shared.ref = target.text;
  setting.value = std::move(shared);
  state_.refs.push_back({spot.path, target.text, target.place, interface_ids(field)});
  return setting;
}

Setting Checker::built_component(const Json& field, const Node& node, const Node& use,
                                 const Spot& spot) {
  Setting setting = start(node, spot);
  Catalog::Offer offer;
  ComponentNode component;
  if (!choose_offer(interface_ids(field), use, spot, offer, component.interface_id)) return setting;
  component.use = offer.key;
  component.plugin = offer.plugin;
  component.qualified = use.text.find(':') != std::string::npos;
  const Spot inside{spot.path, offer.key, use.place};
  try {
    const Json& own = properties_of(offer.settings);
    Json host_keys = host_keys_of(field);
    if (!own.contains("name")) host_keys.update(name_key());
    component.settings = entries(own, node, inside);
    component.host_keys = entries(host_keys, node, inside);
    setting.value = std::move(component);
    refuse_unknown(node, {&own, &host_keys, &node_keys()}, field, inside);
    check_rules(offer.settings, node, setting, inside);
  } catch (const Json::exception& error) {
    add(finding::broken_schema, use.place, spot,
        "the schema of " + offered_by(offer) + " is broken, rebuild the plugin: " + error.what());
  }
  return setting;
}

bool Checker::choose_offer(const std::vector<std::string>& ids, const Node& use, const Spot& spot,
                           Catalog::Offer& chosen, std::string& interface_id) {
  const auto [plugin, key] = split_use(use.text);
  std::vector<Catalog::Offer> offers;
  for (const std::string& id : ids) {
    for (Catalog::Offer& offer : catalog_.find(id, key)) {
      const bool known =
          std::any_of(offers.begin(), offers.end(), [&](const Catalog::Offer& other) {
            return other.plugin == offer.plugin && other.file == offer.file;
          });
      if (known || (!plugin.empty() && offer.plugin != plugin)) continue;
      if (offers.empty()) interface_id = id;
      offers.push_back(std::move(offer));
    }
  }
  if (offers.empty()) return refuse_unknown_component(ids, use, key, spot), false;
  if (offers.size() > 1) return refuse_ambiguous(offers, use, spot), false;
  chosen = std::move(offers.front());
  return true;
}

// "org.mortise.llama:llama", of the first plugin that offers the key.
std::string Checker::offered_by_name(const std::vector<std::string>& ids,
                                     const std::string& key) const {
  for (const std::string& id : ids)
    for (const Catalog::Offer& offer : catalog_.find(id, key)) return offer.plugin + ":" + key;
  return key;
}

void Checker::refuse_unknown_component(const std::vector<std::string>& ids, const Node& use,
                                       const std::string& key, const Spot& spot) {
  std::string text = "there is no " + kinds(ids) + " `" + visible(use.text) + "`";
  std::vector<std::string> keys;
  std::string absent;
  for (const std::string& id : ids) {
    for (std::string& known : catalog_.keys(id)) keys.push_back(std::move(known));
    if (absent.empty()) absent = catalog_.why_absent(id, key);
  }
  const std::string near = nearest(key, keys);
  const bool other_plugin = std::find(keys.begin(), keys.end(), key) != keys.end();
  if (!absent.empty())
    text += ": " + absent;
  else if (other_plugin)
    text += ": that plugin does not offer it; did you mean " + offered_by_name(ids, key) + "?";
  else if (!near.empty())
    text += "; did you mean " + near + "?";
  else if (!keys.empty())
    text += "; there are " + list_of(keys);
  else
    text += ": no plugin that was found offers any; look at plugins: and at `mortise plugin list`";
  add(absent.empty() ? finding::unknown_component : finding::refused_component, use.place, spot,
      text);
}

void Checker::refuse_ambiguous(const std::vector<Catalog::Offer>& offers, const Node& use,
                               const Spot& spot) {
  std::string names;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == offers.size() ? " and " : ", ") + offered_by(offers[i]);
  }
  const std::string& key = offers.front().key;
  add(finding::ambiguous_component, use.place, spot,
      "`" + key + "` is offered by " + names + ": write `" + offers.front().plugin + ":" + key +
          "`");
}

}  // namespace mortise::host
