#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/loading/gate.hpp"
#include "host/loading/plugin_search.hpp"

namespace mortise::host {

// A component that an accepted plugin offers under one interface.
struct ComponentOffer {
  std::string plugin, version;  // id and version of the plugin
  std::string interface_id, key;
  std::string doc;
  std::string settings;        // JSON schema
  std::filesystem::path file;  // of the plugin
  std::size_t component = 0;   // which of the plugin's components
};

// A judged file and where it was found.
struct CatalogEntry {
  Candidate candidate;
  Judgement judgement;
};

// All plugins that a run could use, judged but not loaded. A refused plugin stays listed; it is
// fatal only when it is needed.
class PluginCatalog {
 public:
  // Judges every candidate that is not passed over.
  PluginCatalog(std::vector<SearchPlace> places, const HostIdentity& host);

  // What accepted plugins offer under this name; several if it is ambiguous.
  std::vector<ComponentOffer> find(const std::string& interface_id, const std::string& key) const;
  std::vector<std::string> keys(const std::string& interface_id) const;  // sorted, each once

  // The one offer of that name; `plugin` is the id in front of a qualified name, else "".
  // Throws Failure: P1020 if several plugins offer it, the id of the refusal if a refused plugin
  // does, P1021 if none does.
  ComponentOffer require(const std::string& interface_id, const std::string& key,
                         const std::string& plugin = "") const;

  // "/x/a.so: P1012: built for ...", a line for each refused plugin that offers the name or whose
  // manifest cannot be read; "" if there is none.
  std::string why_absent(const std::string& interface_id, const std::string& key,
                         const std::string& plugin = "") const;

  // The text of that Failure when nothing is found, with refused plugins and the names there are.
  std::string explain_missing(const std::string& interface_id, const std::string& key,
                              const std::string& plugin = "") const;

  // The accepted plugin with this file or id; null if there is none.
  const CatalogEntry* accepted(const std::filesystem::path& file) const;
  const CatalogEntry* accepted_id(const std::string& plugin) const;

  const std::vector<CatalogEntry>& entries() const { return entries_; }
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<SearchPlace>& places() const { return places_; }

 private:
  void refuse_equal_ids();
  void refuse_unequal_tables();

  std::vector<SearchPlace> places_;
  std::vector<Candidate> candidates_;  // also those passed over
  std::vector<CatalogEntry> entries_;
};

}  // namespace mortise::host
