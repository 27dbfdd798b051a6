#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mortise::host {

// Where something was written: line, column (in characters) and length count from 1.
// `file` is "--set" for an override and "--NAME" for a command's option; empty: nowhere, a default.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;
};

// A moment or an interval of a run: "300", "2%", "1B tokens", "3 epochs", "1h".
struct Amount {
  enum class Unit { steps, percent, tokens, epochs, seconds };
  double value = 0;
  Unit unit = Unit::steps;
  bool operator==(const Amount&) const = default;
};

// A linked default whose source is not in the file; wiring gives it with resolve_links().
struct Linked {
  std::string path;  // "tokenizer.vocabulary_size"
  std::string type;  // of the field that takes it: "integer", "number", …
};

struct Entry;

// A component that a file asks for, checked against its schema. With `ref` it shares the node at
// that path and all else but interface_id is empty.
struct ComponentNode {
  std::string interface_id;
  std::string use;     // the key, without the plugin
  std::string plugin;  // id of the plugin that offers it; never empty unless `ref` is set
  std::vector<Entry> settings;
  std::vector<Entry>
      host_keys;  // read by the host: parameters, learning_rate, seed, required, name …
  std::string ref;
  bool qualified = false;  // written as plugin:key
};

// One typed value with its place and origin. Optional values that nobody set are not in the tree.
struct Setting {
  using Map = std::vector<Entry>;
  using List = std::vector<Setting>;

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Amount, List, Map,
               ComponentNode, Linked>
      value;
  Location where;
  std::string path;     // "optimizer.weight_decay"
  std::string origin;   // "run.yaml:31:3", "default of adamw", "--set", "linked to run.steps"
  std::string written;  // how to write the value when not by itself: "${secret:TOKEN}", "300s"

  bool is_set() const { return !std::holds_alternative<std::monostate>(value); }
  bool is_component() const { return std::holds_alternative<ComponentNode>(value); }
  bool is_linked() const { return std::holds_alternative<Linked>(value); }
  bool is_list() const { return std::holds_alternative<List>(value); }
  bool is_map() const { return std::holds_alternative<Map>(value); }
  bool is_text() const { return std::holds_alternative<std::string>(value); }
  bool is_bool() const { return std::holds_alternative<bool>(value); }

  // The value as that type. Asking for another type than the schema promises is our bug: throws
  // std::logic_error with the path. as_double() also takes an integer.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_double() const;
  const std::string& as_text() const;
  const Amount& as_amount() const;
  const List& as_list() const;
  const Map& as_map() const;
  const ComponentNode& as_component() const;

  // The entry of a map, or of a component's settings and then its host keys; null when not set.
  const Setting* find(std::string_view key) const;
  Setting* find(std::string_view key);
  // As find(); a missing key throws std::logic_error.
  const Setting& at(std::string_view key) const;
};

struct Entry {
  std::string key;
  Setting value;
};

// The setting at a dotted path; list elements by name (`name`, else `use`) or number from 0. The
// only element of a list may be left out: optimizer.learning_rate. Null when there is none. An
// empty path is the root.
const Setting* find_path(const Setting& root, std::string_view path);

// Gives linked defaults the values that wiring has learnt, by path; one that is in neither stays
// Linked. `facts` may be given in several calls, as they become known.
void resolve_links(Setting& root, const std::map<std::string, Setting>& facts);

// The linked defaults that are still open.
std::vector<const Setting*> open_links(const Setting& root);

// A fact for resolve_links(): a value with its origin.
Setting fact(std::int64_t value, std::string origin);
Setting fact(double value, std::string origin);

// "run.yaml:12:3: ", "--set: "; empty where nobody wrote it. For the front of a message.
std::string place_of(const Setting& setting);

// Equal values, whatever their places and origins.
bool same_value(const Setting& a, const Setting& b);

}  // namespace mortise::host
