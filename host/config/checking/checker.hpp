#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/config/document/node.hpp"
#include "host/config/findings.hpp"
#include "host/config/schema.hpp"
#include "host/config/setting.hpp"

namespace mortise::host {

// Holds a tree of nodes against a schema and turns it into typed settings with all defaults. Says
// all that is wrong in one pass. Beside the grammar of component schemas it knows what only host
// sections use:
//   any_of          the first alternative that fits
//   host_keys       beside "component": keys that the host reads from such a node
//   reserved        names of an object that belong to a later version
//   refuse          {"value": "why"}: choices that a later version brings
//   positive        an amount, count or number above zero
//   rule exactly_one  {"rule": "exactly_one", "of": [names]}
//   sections        of the root: its keys are called sections
//   meaning name    text that can be a folder and part of a metric's name
class Checker {
 public:
  explicit Checker(const Catalog& catalog) : catalog_(catalog) {}

  // The settings of the whole tree; `owner` is what messages call it.
  Setting check(const nlohmann::json& schema, const Node& root, const std::string& owner);

  // Everything found so far.
  Findings take_findings() { return std::move(state_.findings); }

 private:
  using Json = nlohmann::json;

  // Where a value stands: its path, whose setting it is, and the place for what is missing.
  struct Spot {
    std::string path;
    std::string owner;
    Place place;
  };
  // A key that no schema knows; explained when all keys that do exist are known.
  using KnownKeys = std::map<std::string, std::vector<std::string>>;  // key -> its other names
  struct UnknownKey {
    std::string key;
    Place place;
    Spot holder;
    std::size_t known = 0;  // index of the keys of its holder
  };
  struct Ref {
    std::string path;
    std::string target;
    Place place;
    std::vector<std::string> interface_ids;
  };
  struct State {
    Findings findings;
    std::vector<UnknownKey> unknown;
    std::vector<KnownKeys> known;
    std::vector<Ref> refs;
    std::map<std::string, std::vector<std::string>> homes;  // key -> paths where it is a setting
  };

  // Fields of any type.
  Setting value(const Json& field, const Node& node, const Spot& spot);
  Setting typed_value(const Json& field, const Node& node, const Spot& spot);
  Setting any_of(const Json& field, const Node& node, const Spot& spot);
  Setting absent(const Json& field, const Spot& spot);
  bool trial(const Json& field, const Node& node, const Spot& spot, Setting& out);

  // Scalars.
  Setting scalar(const Json& field, const Node& node, const Spot& spot);
  bool read_scalar(const Json& field, const Node& node, Setting& out, std::string& problem);
  void check_limits(const Json& field, const Node& node, Setting& setting);
  void check_choice(const Json& field, const Node& node, const Setting& setting);
  void check_text(const Json& field, const Node& node, Setting& setting);

  // Lists, maps, objects.
  Setting list(const Json& field, const Node& node, const Spot& spot);
  Setting map(const Json& field, const Node& node, const Spot& spot);
  Setting object(const Json& field, const Node& node, const Spot& spot);
  std::vector<Entry> entries(const Json& properties, const Node& node, const Spot& spot);
  void check_rules(const Json& schema, const Node& node, const Setting& object, const Spot& spot);
  void check_rule(const Json& rule, const Node& node, const Setting& object, const Spot& spot);
  void check_exactly_one(const Json& names, const Node& node, const Spot& spot);
  void refuse_unknown(const Node& node, const std::vector<const Json*>& properties,
                      const Json& schema, const Spot& spot);
  void remember_homes(const Json& properties, const std::string& path);

  // Components.
  Setting component(const Json& field, const Node& node, const Spot& spot);
  Setting shared_component(const Json& field, const Node& node, const Spot& spot);
  Setting built_component(const Json& field, const Node& node, const Node& use, const Spot& spot);
  bool choose_offer(const std::vector<std::string>& ids, const Node& use, const Spot& spot,
                    Catalog::Offer& offer, std::string& interface_id);
  void refuse_unknown_component(const std::vector<std::string>& ids, const Node& use,
                                const std::string& key, const Spot& spot);
  std::string offered_by_name(const std::vector<std::string>& ids, const std::string& key) const;
  void refuse_ambiguous(const std::vector<Catalog::Offer>& offers, const Node& use,
                        const Spot& spot);

  // After the tree: what needs all of it.
  void explain_unknown_keys();
  std::string explain(const UnknownKey& unknown);
  std::string suggest(const Spot& holder, const std::string& name);
  std::string home_of(const std::string& key, const std::string& holder_path) const;
  void connect_refs(Setting& root);
  void connect(Setting& root, const Ref& ref);
  void refuse_cycles(const Setting& root);

  Setting start(const Node& node, const Spot& spot) const;
  void add(const char* id, const Place& place, const Spot& spot, const std::string& text);

  const Catalog& catalog_;
  Place root_place_;       // of the run file, for what nobody wrote
  bool sections_ = false;  // the root's keys are sections, not options
  State state_;
};

// Words of messages: "an integer", "one of a, b", "a tokenizer", "a list".
std::string describe_field(const nlohmann::json& field);
std::string describe_node(const Node& node);
// "owner" -> "an owner".
std::string article(const std::string& noun);
// "mortise/tokenizer/1" -> "tokenizer".
std::string kind_name(const std::string& interface_id);
std::vector<std::string> interface_ids(const nlohmann::json& field);
// A field's default as a node that nobody wrote; null when it has none.
Node default_node(const nlohmann::json& field);
// What the elements of a list or the values of a map are held against: an SDK field keeps meaning,
// limits and choices of its elements beside them.
nlohmann::json element_field(const nlohmann::json& field);
// The properties of an object; none when the schema is empty.
const nlohmann::json& properties_of(const nlohmann::json& schema);
std::string text_of(const nlohmann::json& field, const char* key);

}  // namespace mortise::host
