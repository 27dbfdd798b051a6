#include "host/wiring/settings_tree.hpp"

#include "host/failure.hpp"

namespace mortise::host {

SettingsTree::SettingsTree(const Setting::Map& settings, const Made& made, std::string place)
    : place_(std::move(place)) {
  values_ = map(settings, made);
}

const char* SettingsTree::keep(const std::string& text) {
  return texts_.emplace_back(text).c_str();
}

mt_values SettingsTree::map(const Setting::Map& entries, const Made& made) {
  std::vector<mt_value> all;
  for (const Entry& e : entries) all.push_back(node(keep(e.key), e.value, made));
  arrays_.push_back(std::move(all));
  return {arrays_.back().data(), arrays_.back().size()};
}

mt_values SettingsTree::amount(const Amount& amount) {
  mt_value value{"value", MT_FLOAT, {}}, unit{"unit", MT_INT, {}};
  value.as.f = amount.value;
  unit.as.i = std::int64_t(amount.unit);
  arrays_.push_back({value, unit});
  return {arrays_.back().data(), arrays_.back().size()};
}

mt_value SettingsTree::node(const char* key, const Setting& s, const Made& made) {
  mt_value n{key, MT_NONE, {}};
  if (const auto* b = std::get_if<bool>(&s.value)) {
    n.kind = MT_BOOL;
    n.as.i = *b ? 1 : 0;
  } else if (const auto* i = std::get_if<std::int64_t>(&s.value)) {
    n.kind = MT_INT;
    n.as.i = *i;
  } else if (const auto* f = std::get_if<double>(&s.value)) {
    n.kind = MT_FLOAT;
    n.as.f = *f;
  } else if (const auto* t = std::get_if<std::string>(&s.value)) {
    n.kind = MT_TEXT;
    n.as.text = {keep(*t), t->size()};
  } else if (const auto* a = std::get_if<Amount>(&s.value)) {
    n.kind = MT_MAP;
    n.as.items = amount(*a);
  } else if (const auto* m = std::get_if<Setting::Map>(&s.value)) {
    n.kind = MT_MAP;
    n.as.items = map(*m, made);
  } else if (const auto* l = std::get_if<Setting::List>(&s.value)) {
    std::vector<mt_value> all;
    for (const Setting& item : *l) all.push_back(node(nullptr, item, made));
    arrays_.push_back(std::move(all));
    n.kind = MT_LIST;
    n.as.items = {arrays_.back().data(), arrays_.back().size()};
  } else if (s.is_component()) {
    n.kind = MT_COMPONENT;
    n.as.object = made(s);
  } else if (const auto* linked = std::get_if<Linked>(&s.value)) {
    throw Failure("C0302", Exit::configuration,
                  place_ + "error[C0302]: " + s.path + ": its default is " + linked->path +
                      ", which this file does not give: set " + s.path + " or " + linked->path);
  }
  return n;
}

}  // namespace mortise::host
