#include "host/loading/catalog.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

bool offers(const Manifest& manifest, const std::string& interface_id, const std::string& key) {
  for (const ManifestComponent& component : manifest.components)
    if (component.key == key && std::find(component.interfaces.begin(), component.interfaces.end(),
                                          interface_id) != component.interfaces.end())
      return true;
  return false;
}

void add_offers(const CatalogEntry& entry, const std::string& interface_id,
                std::vector<ComponentOffer>& offers) {
  const Manifest& manifest = *entry.judgement.manifest;
  for (std::size_t i = 0; i < manifest.components.size(); ++i) {
    const ManifestComponent& component = manifest.components[i];
    for (const std::string& id : component.interfaces)
      if (id == interface_id)
        offers.push_back({manifest.id, manifest.version, id, component.key, component.doc,
                          component.settings, entry.judgement.file, i});
  }
}

// "a (org.x.models 1.2, /x/a.so)"
std::string offer_text(const ComponentOffer& offer) {
  return offer.plugin + " " + offer.version + " (" + offer.file.string() + ")";
}

[[noreturn]] void refuse_ambiguous(const std::vector<ComponentOffer>& offers) {
  const std::string& key = offers.front().key;
  std::string text =
      "error[P1020]: `" + key + "` is offered by " + std::to_string(offers.size()) + " plugins";
  text += "\n  expected: one plugin that offers it, or a qualified name\n  got:      ";
  for (std::size_t i = 0; i < offers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == offers.size() ? " and " : ", ") + offer_text(offers[i]);
  text += "\n  do:       write ";
  for (std::size_t i = 0; i < offers.size(); ++i)
    text += (i == 0 ? "`" : " or `") + offers[i].plugin + ":" + key + "`";
  throw Failure("P1020", Exit::plugin, text);
}

// Refused files that offer the name or whose manifest says nothing.
bool may_offer(const CatalogEntry& entry, const std::string& interface_id, const std::string& key,
               const std::string& plugin) {
  const auto& manifest = entry.judgement.manifest;
  if (entry.judgement.accepted()) return false;
  if (!manifest) return true;
  return offers(*manifest, interface_id, key) && (plugin.empty() || manifest->id == plugin);
}

const PluginFinding& first_refusal(const Judgement& judgement) {
  return *std::find_if(judgement.findings.begin(), judgement.findings.end(),
                       [](const PluginFinding& finding) {
                         return finding.weight == PluginFinding::Weight::refusal;
                       });
}

}  // namespace

PluginCatalog::PluginCatalog(std::vector<SearchPlace> places, const HostIdentity& host)
    : places_(std::move(places)), candidates_(find_candidates(places_)) {
  for (const Candidate& candidate : candidates_)
    if (candidate.passed_over.empty())
      entries_.push_back({candidate, judge(candidate.target, host)});
  refuse_equal_ids();
  refuse_unequal_tables();
}

void PluginCatalog::refuse_equal_ids() {
  std::map<std::string, std::vector<CatalogEntry*>> by_id;
  for (CatalogEntry& entry : entries_)
    if (entry.judgement.accepted()) by_id[entry.judgement.manifest->id].push_back(&entry);
  for (auto& [id, same] : by_id) {
    if (same.size() < 2) continue;
    for (std::size_t i = 0; i < same.size(); ++i) {
      const CatalogEntry& other = *same[i == 0 ? 1 : 0];
      same[i]->judgement.findings.push_back(
          {"P1020", "has the same id as another plugin: " + id, "each plugin id in one file",
           id + " " + other.judgement.manifest->version + " also in " +
               other.judgement.file.string() + " (" + other.candidate.origin + ")",
           "remove one of the two files, or give one another id"});
    }
  }
}

// Interfaces that plugins define between themselves are unknown to the host: the first plugin in
// search order counts.
void PluginCatalog::refuse_unequal_tables() {
  std::map<std::string, const CatalogEntry*> first;
  for (CatalogEntry& entry : entries_) {
    if (!entry.judgement.accepted()) continue;
    for (const auto& [id, fingerprint] : entry.judgement.manifest->tables) {
      const auto known = first.try_emplace(id, &entry).first->second;
      const std::string& other = known->judgement.manifest->tables.at(id);
      const std::size_t common = std::min(fingerprint.size(), other.size());
      if (fingerprint.compare(0, common, other, 0, common) == 0) continue;
      entry.judgement.findings.push_back(
          {"P1011",
           "built against another draft of " + id + " than " + known->judgement.manifest->id,
           "fingerprint " + other + " as in " + known->judgement.file.string(), fingerprint,
           "rebuild both plugins against the same headers"});
    }
  }
}

std::vector<ComponentOffer> PluginCatalog::find(const std::string& interface_id,
                                                const std::string& key) const {
  std::vector<ComponentOffer> found;
  for (const CatalogEntry& entry : entries_)
    if (entry.judgement.accepted()) add_offers(entry, interface_id, found);
  std::erase_if(found, [&](const ComponentOffer& offer) { return offer.key != key; });
  return found;
}

std::vector<std::string> PluginCatalog::keys(const std::string& interface_id) const {
  std::vector<ComponentOffer> found;
  for (const CatalogEntry& entry : entries_)
    if (entry.judgement.accepted()) add_offers(entry, interface_id, found);
  std::set<std::string> names;
  for (const ComponentOffer& offer : found) names.insert(offer.key);
  return {names.begin(), names.end()};
}

ComponentOffer PluginCatalog::require(const std::string& interface_id, const std::string& key,
                                      const std::string& plugin) const {
  std::vector<ComponentOffer> found = find(interface_id, key);
  if (!plugin.empty())
    std::erase_if(found, [&](const ComponentOffer& offer) { return offer.plugin != plugin; });
  if (found.size() == 1) return found.front();
  if (found.size() > 1) refuse_ambiguous(found);
  std::string id = "P1021";
  for (const CatalogEntry& entry : entries_)
    if (entry.judgement.manifest && may_offer(entry, interface_id, key, plugin))
      id = first_refusal(entry.judgement).id;
  throw Failure(id, Exit::plugin,
                "error[" + id + "]: " + explain_missing(interface_id, key, plugin));
}

std::string PluginCatalog::why_absent(const std::string& interface_id, const std::string& key,
                                      const std::string& plugin) const {
  std::string text;
  for (const CatalogEntry& entry : entries_) {
    if (!may_offer(entry, interface_id, key, plugin)) continue;
    for (const PluginFinding& finding : entry.judgement.findings)
      text +=
          (text.empty() ? "" : "\n") + entry.judgement.file.string() + ": " + in_one_line(finding);
  }
  return text;
}

std::string PluginCatalog::explain_missing(const std::string& interface_id, const std::string& key,
                                           const std::string& plugin) const {
  std::string text = "`" + (plugin.empty() ? "" : plugin + ":") + key + "` (" + interface_id +
                     ") is not offered by any plugin";
  const std::vector<std::string> known = keys(interface_id);
  text += "\n  expected: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i > 0 ? ", " : "") + known[i];
  if (known.empty()) text += "a plugin that offers it; none offers anything of this kind";
  text += "\n  got:      " + key;
  std::istringstream refused(why_absent(interface_id, key, plugin));
  for (std::string line; std::getline(refused, line);) text += "\n  refused:  " + line;
  return text + "\n  do:       `mortise plugin why " + key + "` shows where it was looked for";
}

const CatalogEntry* PluginCatalog::accepted(const std::filesystem::path& file) const {
  for (const CatalogEntry& entry : entries_)
    if (entry.judgement.accepted() && entry.judgement.file == file) return &entry;
  return nullptr;
}

const CatalogEntry* PluginCatalog::accepted_id(const std::string& plugin) const {
  for (const CatalogEntry& entry : entries_)
    if (entry.judgement.accepted() && entry.judgement.manifest->id == plugin) return &entry;
  return nullptr;
}

}  // namespace mortise::host
