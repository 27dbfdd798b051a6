#include "host/config/setting.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mortise::host {
namespace {

template <typename T>
const T& get(const Setting& setting, const char* type) {
  if (const T* value = std::get_if<T>(&setting.value)) return *value;
  throw std::logic_error("setting " + setting.path + " is not " + type);
}

template <typename List>
auto* find_entry(List& entries, std::string_view key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

bool same_entries(const Setting::Map& a, const Setting::Map& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry& x, const Entry& y) {
    return x.key == y.key && same_value(x.value, y.value);
  });
}

bool same_component(const ComponentNode& a, const ComponentNode& b) {
  return a.interface_id == b.interface_id && a.use == b.use && a.plugin == b.plugin &&
         a.ref == b.ref && same_entries(a.settings, b.settings) &&
         same_entries(a.host_keys, b.host_keys);
}

std::string_view element_name(const Setting& element) {
  if (const Setting* name = element.find("name"); name && name->is_text()) return name->as_text();
  if (element.is_component()) return element.as_component().use;
  return element.is_text() ? std::string_view(element.as_text()) : std::string_view();
}

const Setting* find_element(const Setting::List& list, std::string_view name) {
  const bool number =
      !name.empty() && name.size() < 7 &&
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (number) {
    const auto index = std::stoul(std::string(name));
    return index < list.size() ? &list[index] : nullptr;
  }
  for (const Setting& element : list) {
    if (element_name(element) == name) return &element;
  }
  return list.size() == 1 ? list.front().find(name) : nullptr;
}

// Calls visit(setting) for `root` and everything below it.
template <typename S, typename Visit>
void walk(S& root, const Visit& visit) {
  visit(root);
  const auto walk_entries = [&](auto& entries) {
    for (auto& entry : entries) walk(entry.value, visit);
  };
  if (auto* list = std::get_if<Setting::List>(&root.value)) {
    for (auto& element : *list) walk(element, visit);
  } else if (auto* map = std::get_if<Setting::Map>(&root.value)) {
    walk_entries(*map);
  } else if (auto* component = std::get_if<ComponentNode>(&root.value)) {
    walk_entries(component->settings);
    walk_entries(component->host_keys);
  }
}

void take_linked(Setting& setting, const Setting& source) {
  const Linked link = std::get<Linked>(setting.value);
  setting.value = source.value;
  setting.written = source.written;
  setting.origin = "linked to " + link.path;
  if (source.is_component() && source.as_component().ref.empty()) {  // shared, not made twice
    ComponentNode shared;
    shared.interface_id = source.as_component().interface_id;
    shared.ref = source.path;
    setting.value = std::move(shared);
  }
  if (link.type == "number" && std::holds_alternative<std::int64_t>(setting.value)) {
    setting.value = static_cast<double>(source.as_int());
  }
}

}  // namespace

bool Setting::as_bool() const { return get<bool>(*this, "a bool"); }
std::int64_t Setting::as_int() const { return get<std::int64_t>(*this, "an integer"); }
const std::string& Setting::as_text() const { return get<std::string>(*this, "text"); }
const Amount& Setting::as_amount() const { return get<Amount>(*this, "an amount"); }
const Setting::List& Setting::as_list() const { return get<List>(*this, "a list"); }
const Setting::Map& Setting::as_map() const { return get<Map>(*this, "a mapping"); }

const ComponentNode& Setting::as_component() const {
  return get<ComponentNode>(*this, "a component");
}

double Setting::as_double() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return get<double>(*this, "a number");
}

const Setting* Setting::find(std::string_view key) const {
  if (const Map* map = std::get_if<Map>(&value)) return find_entry(*map, key);
  const ComponentNode* component = std::get_if<ComponentNode>(&value);
  if (component == nullptr) return nullptr;
  if (const Setting* own = find_entry(component->settings, key)) return own;
  return find_entry(component->host_keys, key);
}

Setting* Setting::find(std::string_view key) {
  return const_cast<Setting*>(std::as_const(*this).find(key));
}

const Setting& Setting::at(std::string_view key) const {
  if (const Setting* found = find(key)) return *found;
  throw std::logic_error("setting " + (path.empty() ? "" : path + ".") + std::string(key) +
                         " is not set");
}

const Setting* find_path(const Setting& root, std::string_view path) {
  const Setting* here = &root;
  while (here != nullptr && !path.empty()) {
    const auto dot = path.find('.');
    const std::string_view step = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    const auto* list = std::get_if<Setting::List>(&here->value);
    here = list != nullptr ? find_element(*list, step) : here->find(step);
  }
  return here;
}

void resolve_links(Setting& root, const std::map<std::string, Setting>& facts) {
  // A link may lead to another one: as many rounds as there is progress.
  for (bool progress = true; progress;) {
    progress = false;
    walk(root, [&](Setting& setting) {
      if (!setting.is_linked()) return;
      const std::string path = std::get<Linked>(setting.value).path;
      const auto known = facts.find(path);
      const Setting* source = known != facts.end() ? &known->second : find_path(root, path);
      if (source == nullptr || !source->is_set() || source->is_linked()) return;
      take_linked(setting, Setting(*source));
      progress = true;
    });
  }
}

std::vector<const Setting*> open_links(const Setting& root) {
  std::vector<const Setting*> open;
  walk(root, [&](const Setting& setting) {
    if (setting.is_linked()) open.push_back(&setting);
  });
  return open;
}

Setting fact(std::int64_t value, std::string origin) {
  return Setting{
      .value = value, .where = {}, .path = {}, .origin = std::move(origin), .written = {}};
}

Setting fact(double value, std::string origin) {
  return Setting{
      .value = value, .where = {}, .path = {}, .origin = std::move(origin), .written = {}};
}

bool same_value(const Setting& a, const Setting& b) {
  if (a.value.index() != b.value.index()) return false;
  return std::visit(
      [&](const auto& left) {
        using T = std::decay_t<decltype(left)>;
        const T& right = std::get<T>(b.value);
        if constexpr (std::is_same_v<T, Setting::Map>)
          return same_entries(left, right);
        else if constexpr (std::is_same_v<T, ComponentNode>)
          return same_component(left, right);
        else if constexpr (std::is_same_v<T, Linked>)
          return left.path == right.path;
        else if constexpr (std::is_same_v<T, Setting::List>)
          return std::equal(left.begin(), left.end(), right.begin(), right.end(), same_value);
        else
          return left == right;
      },
      a.value);
}

std::string place_of(const Setting& s) {
  if (s.where.file.empty()) return "";
  std::string place = s.where.file;
  if (!place.starts_with("--"))  // a word of the command line
    place += ":" + std::to_string(s.where.line) + ":" + std::to_string(s.where.column);
  return place + ": ";
}

}  // namespace mortise::host
