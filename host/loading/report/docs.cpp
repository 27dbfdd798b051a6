// `mortise plugin docs`

#include <algorithm>
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

std::string kind_of(const Documented& entry) {
  return interface_kind(entry.component->interfaces.front());
}

// A command's example as a block of code.
std::string with_block(const std::string& doc) {
  const std::string mark = "example:\n  ";
  const std::size_t at = doc.find(mark);
  if (at == std::string::npos) return doc;
  return doc.substr(0, at) + "```\n" + doc.substr(at + mark.size()) + "\n```";
}

std::string section_of(const Documented& entry, const std::string& heading) {
  std::string text = heading + entry.component->key + "\n\n" + kinds_of(*entry.component) + " of " +
                     entry.manifest->id + " " + entry.manifest->version + "\n\n";
  if (!entry.component->doc.empty()) text += with_block(entry.component->doc) + "\n\n";
  return text + settings_table(entry.component->settings);
}

}  // namespace

std::string docs_text(const PluginCatalog& catalog, const std::string& name) {
  std::string text;
  for (const Documented& entry : documented(catalog, name))
    text += (text.empty() ? "" : "\n") + section_of(entry, "## ");
  return text;
}

std::string reference_text(const PluginCatalog& catalog) {
  std::vector<Documented> all = documented(catalog, "");
  std::stable_sort(all.begin(), all.end(), [](const Documented& a, const Documented& b) {
    return std::pair(kind_of(a), a.component->key) < std::pair(kind_of(b), b.component->key);
  });
  std::string text, kind;
  for (const Documented& entry : all) {
    if (kind_of(entry) != kind) text += "\n## " + (kind = kind_of(entry)) + "\n";
    text += "\n" + section_of(entry, "### ");
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
