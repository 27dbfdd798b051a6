#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/document/source.hpp"

namespace mortise::host {

struct Member;

// One value of a YAML document, not yet typed: scalars keep their exact text.
struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;     // of a scalar
  bool quoted = false;  // a quoted or block scalar: text whatever it looks like
  std::vector<Node> items;
  std::vector<Member> members;
  Place place;
  const Source* named_by = nullptr;  // whose folder relative paths start from; null: none
  std::string implied_use;           // bare word of a lower layer under this mapping
  Place implied_place;
  std::string written;   // text with secrets as ${secret:NAME}; empty when it holds none
  bool literal = false;  // interpolated already: ${ in it means itself
  bool faulty = false;   // a finding was reported for it: say nothing more

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  const Member* find_member(std::string_view key) const;
  Member* find_member(std::string_view key);
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct Member {
  std::string key;
  Place place;
  Node value;
};

Node make_scalar(std::string text, const Place& place, bool quoted = false);
Node make_map(const Place& place);

// What a finding may show of a scalar: secrets stay hidden, long texts are cut.
std::string shown(const Node& scalar);

// The name of a list element: its `name`, else its `use`, else its bare word; "" when it has none.
std::string element_name(const Node& element);

// Resolves one step of a dotted path: a key, or a list element by name or number from 0. The name
// of a node that stands where a list could (`optimizer.adamw`) leads to itself, and a key of the
// only element of a list is found without the element's name.
const Node* step_into(const Node& node, std::string_view step);
const Node* find_path(const Node& root, std::string_view path);

// Whether `step` is a list position.
bool is_index(std::string_view step);

// "a.b" + "c" -> "a.b.c".
std::string join_path(const std::string& path, std::string_view step);

}  // namespace mortise::host
