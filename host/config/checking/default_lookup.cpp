#include "host/config/checking/default_lookup.hpp"

#include "host/config/checking/checker.hpp"
#include "host/config/run_schema.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

// The fields below a field, given what stands there; an empty object when there are none.
Json fields_below(const Json& field, const Node* node, const Catalog& catalog) {
  if (field.contains("properties")) return field.at("properties");
  if (!field.contains("component") || node == nullptr) return Json::object();
  const Node* use = node->find("use");
  const std::string text = node->is_scalar()         ? node->text
                           : use && use->is_scalar() ? use->text
                                                     : node->implied_use;
  Json fields = field.value("host_keys", Json::object());
  for (const std::string& id : interface_ids(field)) {
    const auto offers = catalog.find(id, text.substr(text.rfind(':') + 1));
    if (offers.empty()) continue;
    fields.update(properties_of(offers.front().settings));
    break;
  }
  return fields;
}

Json step(const Json& field, const Node*& node, const std::string& name, const Catalog& catalog);

// A step into a list, or into the single node that stands for one.
Json step_into_list(const Json& field, const Node*& node, const std::string& name,
                    const Catalog& catalog) {
  const Json element = element_field(field);
  const Node* here = node;
  const bool only = here != nullptr && here->is_list() && here->items.size() == 1;
  if (here == nullptr ||
      (here->is_list() && (is_index(name) || !only || element_name(here->items[0]) == name))) {
    node = here ? step_into(*here, name) : nullptr;
    return element;
  }
  if (only) node = &here->items[0];
  return element_name(*node) == name ? element : step(element, node, name, catalog);
}

// The field of one step, and in `node` what stands there (null: nothing).
Json step(const Json& field, const Node*& node, const std::string& name, const Catalog& catalog) {
  if (text_of(field, "type") == "array") return step_into_list(field, node, name, catalog);
  const Node* here = node;
  node = here ? step_into(*here, name) : nullptr;
  if (text_of(field, "type") == "map") return element_field(field);
  const Json below = fields_below(field, here, catalog);
  return below.contains(name) ? below.at(name) : Json();
}

std::optional<Node> lookup(const Node& root, const Catalog& catalog, const std::string& path,
                           int hops) {
  Json field = run_schema();
  const Node* node = &root;
  std::string rest = path;
  while (!rest.empty() && field.is_object()) {
    const std::string name = rest.substr(0, rest.find('.'));
    rest.erase(0, name.size() + 1);
    field = step(field, node, name, catalog);
  }
  if (!field.is_object()) return std::nullopt;
  if (node != nullptr && !node->is_null()) return *node;
  const std::string link = text_of(field, "default_path");
  if (!link.empty()) return hops < 8 ? lookup(root, catalog, link, hops + 1) : std::nullopt;
  Node given = default_node(field);
  return given.is_null() ? std::nullopt : std::optional<Node>(std::move(given));
}

}  // namespace

std::optional<Node> schema_default(const Node& root, const Catalog& catalog,
                                   const std::string& path) {
  return lookup(root, catalog, path, 0);
}

}  // namespace mortise::host
