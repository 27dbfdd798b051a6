// `mortise plugin list`

#include <algorithm>

#include "host/failure.hpp"
#include "host/loading/manifest/bounded_json.hpp"
#include "host/loading/plugin_report.hpp"
#include "host/loading/report/component_name.hpp"
#include "host/loading/report/report_json.hpp"

namespace mortise::host {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string kinds_of(const ManifestComponent& component) {
  std::string text;
  for (const std::string& id : component.interfaces)
    text += (text.empty() ? "" : "+") + interface_kind(id);
  return text;
}

void add_plugin(const CatalogEntry& entry, std::string& text) {
  const Manifest& manifest = *entry.judgement.manifest;
  text += manifest.id + " " + manifest.version + "  (" + entry.candidate.origin + ": " +
          entry.judgement.file.string() + ")\n";
  for (const ManifestComponent& component : manifest.components)
    text += "  " + padded(kinds_of(component), 24) + " " + padded(component.key, 20) + " " +
            component.doc.substr(0, component.doc.find('\n')) + "\n";
}

}  // namespace

std::string list_text(const PluginCatalog& catalog) {
  std::string accepted, refused;
  for (const CatalogEntry& entry : catalog.entries()) {
    if (entry.judgement.accepted()) add_plugin(entry, accepted);
    for (const PluginFinding& finding : entry.judgement.findings)
      refused += "  " + entry.judgement.file.string() + ": " + in_one_line(finding) + "\n";
  }
  if (accepted.empty()) accepted = "no plugin found\n";
  return refused.empty() ? accepted : accepted + "refused or doubtful:\n" + refused;
}

std::string list_json(const PluginCatalog& catalog) {
  Json all = Json::array();
  for (const CatalogEntry& entry : catalog.entries()) {
    Json plugin = judgement_json(entry.judgement);
    plugin["origin"] = entry.candidate.origin;
    all.push_back(std::move(plugin));
  }
  return printed(Json{{"plugins", std::move(all)}});
}

const CatalogEntry& entry_named(const PluginCatalog& catalog, const std::string& plugin) {
  const ComponentName name(plugin);
  for (const bool accepted : {true, false})
    for (const CatalogEntry& entry : catalog.entries())
      if (entry.judgement.accepted() == accepted && entry.judgement.manifest &&
          name.matches(*entry.judgement.manifest))
        return entry;
  throw Failure("P1021", Exit::plugin,
                "error[P1021]: `" + plugin +
                    "` names no plugin\n  expected: an id of `mortise plugin list`, or "
                    "a file\n  got:      " +
                    plugin + "\n  do:       `mortise plugin why " + plugin +
                    "` shows where it was looked for");
}

}  // namespace mortise::host
