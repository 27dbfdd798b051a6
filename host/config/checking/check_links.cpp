// Checker: what can only be said when the whole tree is known: unknown and misplaced keys, refs.

#include <set>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/suggestion.hpp"

namespace mortise::host {
namespace {

// Which component needs which: a node needs what stands inside it and what it refers to.
using Needs = std::map<std::string, std::vector<std::string>>;

void gather_needs(const Setting& setting, const std::string& inside, Needs& needs) {
  std::string here = inside;
  if (setting.is_component()) {
    const ComponentNode& component = setting.as_component();
    if (!component.ref.empty()) {
      needs[inside].push_back(component.ref);
      return;
    }
    here = setting.path;
    needs[inside].push_back(here);
    for (const Entry& entry : component.settings) gather_needs(entry.value, here, needs);
  } else if (setting.is_list()) {
    for (const Setting& item : setting.as_list()) gather_needs(item, here, needs);
  } else if (setting.is_map()) {
    for (const Entry& entry : setting.as_map()) gather_needs(entry.value, here, needs);
  }
}

// The components of a circle through `from`, in order; empty when there is none.
std::vector<std::string> circle_from(const std::string& from, const Needs& needs) {
  std::vector<std::string> trail;
  std::set<std::string> done;
  const auto search = [&](const auto& self, const std::string& at) -> bool {
    if (!trail.empty() && at == from) return true;
    if (!done.insert(at).second) return false;
    trail.push_back(at);
    const auto found = needs.find(at);
    if (found != needs.end()) {
      for (const std::string& next : found->second) {
        if (self(self, next)) return true;
      }
    }
    trail.pop_back();
    return false;
  };
  return search(search, from) ? trail : std::vector<std::string>();
}

void gather_components(const Setting& setting, std::vector<std::string>& paths) {
  if (setting.is_component()) {
    paths.push_back(setting.path);
    for (const Entry& entry : setting.as_component().settings)
      gather_components(entry.value, paths);
  } else if (setting.is_list()) {
    for (const Setting& item : setting.as_list()) gather_components(item, paths);
  } else if (setting.is_map()) {
    for (const Entry& entry : setting.as_map()) gather_components(entry.value, paths);
  }
}

bool means(const std::string& key, const std::string& other_name) {
  return edit_distance(key, other_name) == 0;
}

}  // namespace

void Checker::explain_unknown_keys() {
  for (std::size_t i = 0; i < state_.unknown.size(); ++i) {
    const UnknownKey& unknown = state_.unknown[i];
    const bool section = unknown.holder.path.empty() && sections_;
    const Spot at{join_path(unknown.holder.path, unknown.key), "", unknown.place};
    const std::string what =
        section ? "unknown section" : "unknown setting of " + unknown.holder.owner;
    add(section ? finding::unknown_section : finding::unknown_setting, unknown.place, at,
        what + (i < Findings::kMaxShown ? explain(unknown) : ""));
  }
  state_.unknown.clear();
}

std::string Checker::explain(const UnknownKey& unknown) {
  const std::string& key = unknown.key;
  std::vector<std::string> names;
  for (const auto& [name, others] : state_.known[unknown.known]) {
    if (name != "use") names.push_back(name);
    for (const std::string& other : others) {
      if (means(key, other)) return suggest(unknown.holder, name);
    }
  }
  const std::string near = nearest(key, names);
  if (!near.empty() && edit_distance(key, near) <= 1) return suggest(unknown.holder, near);
  const std::string home = home_of(key, unknown.holder.path);
  if (home == key) return "; " + key + " is a section of its own";
  if (!home.empty())
    return "; it belongs to " + home.substr(0, home.rfind('.')) + ": write " + home;
  if (!near.empty()) return suggest(unknown.holder, near);
  std::vector<std::string> all;
  for (const auto& [name, homes] : state_.homes) all.push_back(name);
  const std::string elsewhere = nearest(key, all);
  const bool close = !elsewhere.empty() && edit_distance(key, elsewhere) <= 1;
  const std::string far_home = close ? home_of(elsewhere, unknown.holder.path) : "";
  if (!far_home.empty()) return "; did you mean " + far_home + "?";
  const bool none = names.empty() || names == std::vector<std::string>{"name"};
  return none ? "; it takes none" : "; there are " + list_of(names, 16);
}

// One mistake is one finding: the right word is not missing too.
std::string Checker::suggest(const Spot& holder, const std::string& name) {
  state_.findings.drop(finding::missing, visible(join_path(holder.path, name)), "");
  state_.findings.drop(finding::missing, visible(holder.path),
                       name);  // one of which exactly one is needed
  return "; did you mean " + name + "?";
}

// The nearest path at which `key` is a setting: one below the holder, else the shortest.
std::string Checker::home_of(const std::string& key, const std::string& holder_path) const {
  const auto found = state_.homes.find(key);
  if (found == state_.homes.end()) return "";
  std::string best;
  for (const std::string& home : found->second) {
    if (home.find('.') == std::string::npos && holder_path.empty()) continue;
    const bool below = !holder_path.empty() && home.starts_with(holder_path + ".");
    const bool best_below = !holder_path.empty() && best.starts_with(holder_path + ".");
    if (best.empty() || (below && !best_below) ||
        (below == best_below && home.size() < best.size()))
      best = home;
  }
  return best;
}

void Checker::connect_refs(Setting& root) {
  for (const Ref& ref : state_.refs) connect(root, ref);
}

void Checker::connect(Setting& root, const Ref& ref) {
  auto* own = const_cast<Setting*>(find_path(root, ref.path));
  const Spot spot{ref.path, "", ref.place};
  const Setting* target = find_path(root, ref.target);
  std::set<std::string> passed{ref.path};
  while (target && target->is_component() && !target->as_component().ref.empty()) {
    if (!passed.insert(target->path).second) {
      return add(finding::circular_ref, ref.place, spot,
                 "ref: cycle: " + ref.target + " leads back to itself");
    }
    target = find_path(root, target->as_component().ref);
  }
  if (target == nullptr || !target->is_component()) {
    std::vector<std::string> paths;
    gather_components(root, paths);
    const std::string near = nearest(ref.target, paths);
    const std::string what = target == nullptr ? "nothing stands at " : "no component stands at ";
    return add(finding::dangling_ref, ref.place, spot,
               "ref: " + what + visible(ref.target) +
                   (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  const ComponentNode& shared = target->as_component();
  for (const std::string& id : ref.interface_ids) {
    for (const Catalog::Offer& offer : catalog_.find(id, shared.use)) {
      if (offer.plugin != shared.plugin || own == nullptr) continue;
      auto& node = std::get<ComponentNode>(own->value);
      node.interface_id = id;
      node.ref = target->path;
      return;
    }
  }
  add(finding::wrong_kind, ref.place, spot,
      "ref: " + ref.target + " is " + article(kind_name(shared.interface_id)) + ", expected " +
          article(kind_name(ref.interface_ids.front())));
}

void Checker::refuse_cycles(const Setting& root) {
  Needs needs;
  gather_needs(root, "", needs);
  std::set<std::string> reported;
  for (const Ref& ref : state_.refs) {
    const Setting* own = find_path(root, ref.path);
    if (own == nullptr || !own->is_component() || reported.contains(own->as_component().ref))
      continue;
    const std::vector<std::string> circle = circle_from(own->as_component().ref, needs);
    if (circle.empty()) continue;
    std::string text;
    for (const std::string& path : circle) text += path + " -> ", reported.insert(path);
    add(finding::circular_ref, ref.place, {ref.path, "", ref.place},
        "ref: cycle: these components need each other: " + text + circle.front());
  }
}

}  // namespace mortise::host
