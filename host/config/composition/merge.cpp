#include "host/config/composition/merge.hpp"

#include <string>
#include <unordered_map>
#include <utility>

namespace mortise::host {
namespace {

// The component that a node names, or "": a bare word counts only beside a mapping.
std::string used(const Node& node) {
  if (node.is_scalar()) return node.text;
  const Node* use = node.find("use");
  return use != nullptr && use->is_scalar() ? use->text : node.implied_use;
}

// "llama" and "org.x:llama" name the same component as far as anyone can tell here.
bool same_component(const std::string& a, const std::string& b) {
  const auto key = [](const std::string& use) { return use.substr(use.rfind(':') + 1); };
  const bool qualified = a.find(':') != std::string::npos && b.find(':') != std::string::npos;
  return qualified ? a == b : key(a) == key(b);
}

bool replaces(const Node& base, const Node& over) {
  if (over.find("ref") != nullptr) return true;
  if (over.find("use") == nullptr) return false;
  if (base.find("ref") != nullptr) return true;
  const std::string old = used(base);
  return !old.empty() && !same_component(old, used(over));
}

void merge_members(Node& base, Node over, const Node* defaults) {
  std::unordered_map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < base.members.size(); ++i) positions.emplace(base.members[i].key, i);
  for (Member& member : over.members) {
    const Node* below = defaults ? defaults->find(member.key) : nullptr;
    const auto old = positions.find(member.key);
    if (old == positions.end()) {
      base.members.push_back(std::move(member));
      continue;
    }
    base.members[old->second].place = member.place;
    merge(base.members[old->second].value, std::move(member.value), below);
  }
}

}  // namespace

void merge(Node& base, Node over, const Node* defaults) {
  if (over.is_null()) {
    const Place place = over.place;
    base = defaults ? *defaults : std::move(over);
    if (base.is_null()) base.place = place;
    return;
  }
  if (base.is_scalar() && over.is_map() && !base.quoted && over.find("ref") == nullptr) {
    const std::string word = base.text;
    const Place place = base.place;
    const bool changes = replaces(base, over);
    base = std::move(over);
    if (!changes) base.implied_use = word, base.implied_place = place;
    return;
  }
  if (base.is_map() && over.is_scalar()) {
    if (used(base).empty() || !same_component(used(base), over.text)) base = std::move(over);
    return;
  }
  if (!base.is_map() || !over.is_map() || replaces(base, over)) {
    base = std::move(over);
    return;
  }
  base.place = over.place;
  base.named_by = over.named_by;
  const bool aligned = defaults != nullptr && defaults->is_map() && !replaces(*defaults, base);
  merge_members(base, std::move(over), aligned ? defaults : nullptr);
}

}  // namespace mortise::host
