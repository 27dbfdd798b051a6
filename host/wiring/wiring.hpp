#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>

#include "host/config/setting.hpp"
#include "host/loading/catalog.hpp"
#include "host/wiring/component.hpp"

namespace mortise::host {

// Makes the components of a settings tree in the order in which they need each other. The newest
// goes first when it ends.
class Wiring {
 public:
  Wiring(const Setting& root, const PluginCatalog& catalog, Services& services);
  ~Wiring();
  Wiring(const Wiring&) = delete;

  // The component of the node at `path` ("model", "optimizer.0", "eval.sets.wiki"): made on first
  // use, after those that it takes as settings. Throws Failure.
  Component& make(const std::string& path);
  // The component of a node that is not in the tree, such as the second half of a split data set.
  Component& make(const Setting& node, const std::string& path);
  // Seed of the components below a section; by default run.seed for all.
  void set_seed(const std::string& section, std::uint64_t seed) { seeds_[section] = seed; }
  const std::map<std::string, Component*>& made() const { return made_; }

 private:
  const mt_component_v1& type_of(const ComponentNode& node) const;
  std::uint64_t seed_for(const std::string& path) const;

  const Setting& root_;
  const PluginCatalog& catalog_;
  Services& services_;
  std::map<std::string, std::uint64_t> seeds_;
  std::map<std::string, Component*> made_;
  std::deque<Component> owned_;
};

// Loads every plugin that a tree of settings uses, on the main thread, before others exist.
void load_plugins(const Setting& root, const PluginCatalog& catalog);
// Plugin ids, versions and files of the components that a tree uses.
std::vector<ComponentOffer> offers_in(const Setting& root, const PluginCatalog& catalog);

}  // namespace mortise::host
