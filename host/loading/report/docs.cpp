// `mortise plugin docs`

#include <optional>

#include "host/loading/plugin_report.hpp"
#include "host/loading/report/component_name.hpp"
#include "host/loading/report/report_json.hpp"
#include "host/loading/report/settings_table.hpp"

namespace mortise::host {
namespace {

struct Documented {
  const Manifest* manifest;
  const ManifestComponent* component;
};

std::vector<Documented> documented(const PluginCatalog& catalog, const std::string& name) {
  std::optional<ComponentName> wanted;
  if (!name.empty()) wanted.emplace(name);
  std::vector<Documented> found;
  for (const CatalogEntry& entry : catalog.entries()) {
    if (!entry.judgement.accepted()) continue;
    const Manifest& manifest = *entry.judgement.manifest;
    for (const ManifestComponent& component : manifest.components)
      if (!wanted || wanted->matches(manifest, component)) found.push_back({&manifest, &component});
  }
  if (found.empty() && wanted) {
    const CatalogEntry& refused = entry_named(catalog, name);  // throws if there is none at all
    for (const ManifestComponent& component : refused.judgement.manifest->components)
      if (wanted->matches(*refused.judgement.manifest, component))
        found.push_back({&*refused.judgement.manifest, &component});
  }
  return found;
}

std::string kinds_of(const ManifestComponent& component) {
  std::string text;
  for (const std::string& id : component.interfaces)
    text += (text.empty() ? "" : ", ") + interface_kind(id);
  return text;
}

}  // namespace

std::string docs_text(const PluginCatalog& catalog, const std::string& name) {
  std::string text;
  for (const Documented& entry : documented(catalog, name)) {
    if (!text.empty()) text += "\n";
    text += "## " + entry.component->key + "\n\n" + kinds_of(*entry.component) + " of " +
            entry.manifest->id + " " + entry.manifest->version + "\n\n";
    if (!entry.component->doc.empty()) text += entry.component->doc + "\n\n";
    text += settings_table(entry.component->settings);
  }
  return text;
}

std::string docs_json(const PluginCatalog& catalog, const std::string& name) {
  Json all = Json::array();
  for (const Documented& entry : documented(catalog, name))
    all.push_back({{"key", entry.component->key},
                   {"plugin", entry.manifest->id},
                   {"version", entry.manifest->version},
                   {"interfaces", entry.component->interfaces},
                   {"doc", entry.component->doc},
                   {"settings", Json::parse(entry.component->settings)}});
  return printed(Json{{"components", std::move(all)}});
}

}  // namespace mortise::host
