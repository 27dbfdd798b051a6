#include "host/wiring/wiring.hpp"

#include <functional>

#include "host/failure.hpp"
#include "host/loading/library.hpp"
#include "host/wiring/failure_of_error.hpp"

namespace mortise::host {
namespace {

void visit_components(const Setting& s, const std::function<void(const ComponentNode&)>& visit) {
  const auto all = [&](const Setting::Map& entries) {
    for (const Entry& e : entries) visit_components(e.value, visit);
  };
  if (s.is_map()) all(s.as_map());
  if (s.is_list())
    for (const Setting& item : s.as_list()) visit_components(item, visit);
  if (!s.is_component()) return;
  const ComponentNode& node = s.as_component();
  if (node.ref.empty()) visit(node);
  all(node.settings);
}

// The value of a component's own that an error speaks of: it begins with the value's name, or
// names the file that the value names. The component itself where it does not say.
Spot spot_blamed(const Setting& node, const std::string& text) {
  const auto names = [&](const Setting& s) {
    return s.is_text() && s.as_text().starts_with("/") && text.find(s.as_text()) != text.npos;
  };
  for (const Entry& entry : node.as_component().settings) {
    const Setting& s = entry.value;
    const bool is_subject = text.starts_with(entry.key + " ") || text.starts_with(entry.key + ":");
    if (s.where.file.empty()) continue;
    if (is_subject || names(s)) return {place_of(s), s.path};
    if (!s.is_list()) continue;
    for (const Setting& item : s.as_list())
      if (names(item)) return {place_of(item), item.path};
  }
  return {place_of(node), node.path};
}

}  // namespace

std::vector<ComponentOffer> offers_in(const Setting& root, const PluginCatalog& catalog) {
  std::map<std::string, ComponentOffer> by_name;
  visit_components(root, [&](const ComponentNode& n) {
    ComponentOffer offer = catalog.require(n.interface_id, n.use, n.plugin);
    by_name.emplace(offer.plugin + ":" + offer.key, offer);
  });
  std::vector<ComponentOffer> all;
  for (auto& [name, offer] : by_name) all.push_back(std::move(offer));
  return all;
}

void load_plugins(const Setting& root, const PluginCatalog& catalog) {
  for (const ComponentOffer& offer : offers_in(root, catalog))
    open_plugin(catalog.accepted(offer.file)->judgement);
}

Wiring::Wiring(const Setting& root, const PluginCatalog& catalog, Services& services)
    : root_(root), catalog_(catalog), services_(services) {}

Wiring::~Wiring() {
  while (!owned_.empty()) owned_.pop_back();
}

const mt_component_v1& Wiring::type_of(const ComponentNode& node) const {
  const ComponentOffer offer = catalog_.require(node.interface_id, node.use, node.plugin);
  const mt_plugin_v1& plugin = open_plugin(catalog_.accepted(offer.file)->judgement);
  return *plugin.components[offer.component];
}

std::uint64_t Wiring::seed_for(const std::string& path) const {
  const std::string section = path.substr(0, path.find('.'));
  if (const auto found = seeds_.find(section); found != seeds_.end()) return found->second;
  const auto run = seeds_.find("run");
  return run == seeds_.end() ? 0 : run->second;
}

Component& Wiring::make(const std::string& path) {
  if (const auto found = made_.find(path); found != made_.end()) return *found->second;
  const Setting* node = find_path(root_, path);
  if (node == nullptr || !node->is_component()) throw std::logic_error("no component at " + path);
  if (!node->as_component().ref.empty()) return make(node->as_component().ref);
  return make(*node, path);
}

Component& Wiring::make(const Setting& node, const std::string& path) {
  if (const auto found = made_.find(path); found != made_.end()) return *found->second;
  const ComponentNode& n = node.as_component();
  const auto made = [&](const Setting& part) {
    const ComponentNode& inner = part.as_component();
    Component& component = inner.ref.empty() ? make(part, part.path) : make(inner.ref);
    return component.object(inner.interface_id.c_str());
  };
  auto settings = std::make_unique<SettingsTree>(n.settings, made, place_of(node));
  const mt_component_v1& type = type_of(n);
  try {
    owned_.emplace_back(type, std::move(settings), services_, seed_for(path),
                        Component::Origin{n.plugin, n.use});
  } catch (const Error& e) {
    throw failure_of(e, n.use + " of " + n.plugin + " could not be made",
                     spot_blamed(node, e.what()));
  }
  return *(made_[path] = &owned_.back());
}

}  // namespace mortise::host
