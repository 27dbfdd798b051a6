#include "host/config/settings_difference.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "host/config/document/document.hpp"
#include "host/config/findings.hpp"
#include "host/config/run_file.hpp"

namespace mortise::host {
namespace {

constexpr std::string_view kLinked = "linked to ", kDefault = "default of ";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return "[" + text + "]";
}

class Flattener {
 public:
  void add(const Node& node, const std::string& path) {
    if (node.is_map())
      map(node, path);
    else if (node.is_list())
      list(node, path);
    else if (node.is_scalar())
      all_.push_back({path, node.text});
  }
  FlatSettings take() { return std::move(all_); }

 private:
  void map(const Node& node, const std::string& path) {
    if (const Node* use = node.find("use")) all_.push_back({path, use->text});
    for (const Member& member : node.members)
      if (member.key != "use") add(member.value, join_path(path, member.key));
  }
  void list(const Node& node, const std::string& path) {
    std::vector<std::string> names;
    for (const Node& item : node.items) {
      std::string name = item.is_scalar() ? item.text : element_name(item);
      if (!item.is_scalar() && (name.empty() || std::count(names.begin(), names.end(), name) != 0))
        name = std::to_string(names.size());
      names.push_back(name);
    }
    all_.push_back({path, joined(names)});
    for (std::size_t i = 0; i != names.size(); ++i)
      if (!node.items[i].is_scalar()) add(node.items[i], join_path(path, names[i]));
  }
  FlatSettings all_;
};

std::string origin_of(const Setting& root, const std::string& key) {
  const Setting* setting = find_path(root, key);
  return setting == nullptr ? "" : setting->origin;
}

// Whether `key` or something above it is among `keys`.
bool is_covered(const std::set<std::string>& keys, std::string key) {
  for (;;) {
    if (keys.count(key) != 0) return true;
    const auto dot = key.rfind('.');
    if (dot == std::string::npos) return false;
    key.resize(dot);
  }
}

std::vector<SettingChange> all_changes(const FlatSettings& before, const FlatSettings& after) {
  std::map<std::string, std::string> old;
  for (const FlatSetting& s : before) old[s.key] = s.value;
  std::vector<SettingChange> changes;
  for (const FlatSetting& s : after) {
    const auto was = old.find(s.key);
    if (was == old.end())
      changes.push_back({s.key, "", s.value});
    else if (was->second != s.value)
      changes.push_back({s.key, was->second, s.value});
    if (was != old.end()) old.erase(was);
  }
  for (const FlatSetting& s : before)
    if (old.count(s.key) != 0) changes.push_back({s.key, s.value, ""});
  return changes;
}

// Whether a setting has changed only because another one has.
bool follows(const SettingChange& change, const Setting& now, const std::set<std::string>& keys) {
  const auto dot = change.key.rfind('.');
  if (dot != std::string::npos && is_covered(keys, change.key.substr(0, dot))) return true;
  const std::string origin = origin_of(now, change.key);
  if (change.before.empty() && origin.starts_with(kDefault)) return true;
  if (!origin.starts_with(kLinked)) return false;
  const std::string source = origin.substr(kLinked.size());
  return source == "run.steps" || is_covered(keys, source);
}

}  // namespace

FlatSettings flatten_resolved(const std::string& text, const std::string& name) {
  Sources sources;
  Findings findings;
  const auto root =
      read_document(sources.add(Source(Source::Kind::file, name, {}, text)), findings);
  findings.throw_if_any();
  Flattener flattener;
  if (root) flattener.add(*root, "");
  return flattener.take();
}

std::string value_of(const FlatSettings& settings, const std::string& key) {
  for (const FlatSetting& s : settings)
    if (s.key == key) return s.value;
  return "";
}

std::vector<SettingChange> changes_since(const FlatSettings& before, const Setting& now) {
  std::vector<SettingChange> changes =
      all_changes(before, flatten_resolved(write_resolved(now), "the run file"));
  std::set<std::string> keys;
  for (const SettingChange& c : changes) keys.insert(c.key);
  std::erase_if(changes, [&](const SettingChange& c) { return follows(c, now, keys); });
  return changes;
}

}  // namespace mortise::host
