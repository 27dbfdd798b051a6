#include "host/config/composition/overrides.hpp"

#include <filesystem>
#include <map>
#include <optional>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/suggestion.hpp"
#include "host/config/composition/merge.hpp"
#include "host/config/document/document.hpp"

namespace mortise::host {
namespace {

// One --set, taken apart. Places count in its whole text.
struct Override {
  std::string path_text;
  std::vector<std::string> steps;
  std::vector<Place> places;  // of each step
  bool append = false;
  Node value;
};

// Moves a place inside VALUE to where it stands in PATH=VALUE.
void shift(Place& place, const Source* from, const Source& to, int columns) {
  if (place.source != from) return;
  place.source = &to;
  if (place.line == 1) place.column += columns;
}

void shift(Node& node, const Source* from, const Source& to, int columns) {
  shift(node.place, from, to, columns);
  if (node.named_by == from) node.named_by = &to;
  for (Node& item : node.items) shift(item, from, to, columns);
  for (Member& member : node.members) {
    shift(member.place, from, to, columns);
    shift(member.value, from, to, columns);
  }
}

// Splits "a.\"b.c\".d"; false for an empty step or an unclosed quote.
bool split_steps(std::string_view path, const Source& source, Override& out) {
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = at;
    std::string step;
    if (at < path.size() && path[at] == '"') {
      const std::size_t end = path.find('"', at + 1);
      if (end == std::string_view::npos) return false;
      step = path.substr(at + 1, end - at - 1);
      at = end + 1;
    } else {
      at = std::min(path.find('.', at), path.size());
      step = path.substr(begin, at - begin);
    }
    if (step.empty() || (at < path.size() && path[at] != '.')) return false;
    const int length = count_characters(path.substr(begin, at - begin));
    out.places.push_back({&source, 1, count_characters(path.substr(0, begin)) + 1, length});
    out.steps.push_back(std::move(step));
    if (at++ == path.size()) return true;
  }
}

// Where the `=` is that ends the path: the first one outside quotes.
std::size_t find_equals(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '=' && !quoted) return i;
  }
  return std::string_view::npos;
}

class Overrides {
 public:
  Overrides(Node& root, const Node& defaults, Sources& sources, Findings& findings)
      : root_(root), defaults_(defaults), sources_(sources), findings_(findings) {}

  void apply(const std::string& text);

 private:
  std::optional<Override> read(const std::string& text);
  bool read_value(const Source& source, std::size_t equals, Override& out);
  Node* step(Node& node, const Override& set, std::size_t index);
  Node* element(Node& list, const Override& set, std::size_t index);
  void append(Node& target, Override set);
  void refuse(const Override& set, std::size_t index, const std::string& text);

  Node& root_;
  const Node& defaults_;
  Sources& sources_;
  Findings& findings_;
};

std::optional<Override> Overrides::read(const std::string& text) {
  std::size_t fault_offset = 0;
  const std::string fault = judge_text(text, fault_offset);
  const Source& source =
      sources_.add(Source(Source::Kind::set, "--set", std::filesystem::current_path(),
                          fault.empty() ? text : visible(one_line("unreadable"))));
  const auto wrong = [&](const std::string& why) {
    findings_.add(finding::bad_override, {&source, 1, 1, 1}, "", why);
    return std::nullopt;
  };
  if (!fault.empty()) return wrong("the text " + fault);
  const std::size_t equals = find_equals(text);
  if (equals == std::string::npos) return wrong("expected PATH=VALUE or PATH+=VALUE");
  Override out;
  out.append = equals > 0 && text[equals - 1] == '+';
  out.path_text = text.substr(0, equals - (out.append ? 1 : 0));
  if (!split_steps(out.path_text, source, out))
    return wrong("expected PATH=VALUE: a step of the path is empty");
  if (!read_value(source, equals, out)) return std::nullopt;
  return out;
}

bool Overrides::read_value(const Source& source, std::size_t equals, Override& out) {
  // The value is parsed alone, so that its own indentation counts, and then put back into place.
  const Source part(Source::Kind::set, "--set", source.folder(), source.text().substr(equals + 1));
  Findings faults;
  std::optional<Node> value = read_document(part, faults);
  const int columns = count_characters(std::string_view(source.text()).substr(0, equals + 1));
  for (Finding found : faults.list()) {
    shift(found.place, &part, source, columns);
    findings_.add(found.id, found.place, out.path_text, found.text);
  }
  if (!value || !faults.empty()) return false;
  shift(*value, &part, source, columns);
  out.value = std::move(*value);
  return true;
}

void Overrides::refuse(const Override& set, std::size_t index, const std::string& text) {
  findings_.add(finding::override_target, set.places[index], visible(set.path_text), text);
}

void Overrides::apply(const std::string& text) {
  std::optional<Override> set = read(text);
  if (!set) return;
  Node* here = &root_;
  const Node* below = &defaults_;
  for (std::size_t i = 0; i < set->steps.size(); ++i) {
    below = below ? step_into(*below, set->steps[i]) : nullptr;
    here = step(*here, *set, i);
    if (here == nullptr) return;
  }
  if (set->append) return append(*here, std::move(*set));
  merge(*here, std::move(set->value), below);
}

// The node at step `index`, made where it is missing; null after a finding.
Node* Overrides::step(Node& node, const Override& set, std::size_t index) {
  if (node.is_list()) return element(node, set, index);
  if (node.is_null()) node = make_map(set.places[index]);
  if (node.is_scalar()) {  // a bare word that gets settings
    Node named = make_map(node.place);
    named.named_by = node.named_by;
    named.implied_use = node.text;
    named.implied_place = node.place;
    node = std::move(named);
  }
  Member* member = node.find_member(set.steps[index]);
  const bool inside = index + 1 < set.steps.size();
  if (member == nullptr && inside && element_name(node) == set.steps[index]) return &node;
  if (member == nullptr) {
    Node fresh;
    fresh.place = set.places[index];
    fresh.named_by = set.places[index].source;
    node.members.push_back({set.steps[index], set.places[index], std::move(fresh)});
    member = &node.members.back();
  }
  return &member->value;
}

Node* Overrides::element(Node& list, const Override& set, std::size_t index) {
  const std::string& name = set.steps[index];
  std::map<std::string, int> uses;
  for (const Node& item : list.items) ++uses[element_name(item)];
  if (!is_index(name) && uses[name] > 1) {
    refuse(set, index, "several elements are called `" + name + "`: write a number from 0 instead");
    return nullptr;
  }
  if (const Node* found = step_into(list, name)) return const_cast<Node*>(found);
  const bool last = index + 1 == set.steps.size();
  if (list.items.size() == 1 && last && !is_index(name)) return step(list.items[0], set, index);
  std::vector<std::string> names;
  for (const Node& item : list.items) names.push_back(element_name(item));
  refuse(set, index,
         "the list has no element `" + visible(name) + "`; there are " +
             (names.empty() ? "none" : list_of(names)) + " (or numbers from 0)");
  return nullptr;
}

void Overrides::append(Node& target, Override set) {
  if (!target.is_list()) {
    Node list;
    list.kind = Node::Kind::list;
    list.place = set.value.place;
    list.named_by = set.value.named_by;
    if (!target.is_null()) list.items.push_back(std::move(target));
    target = std::move(list);
  }
  if (!set.value.is_list()) return target.items.push_back(std::move(set.value));
  for (Node& item : set.value.items) target.items.push_back(std::move(item));
}

}  // namespace

void apply_overrides(Node& root, const std::vector<std::string>& sets, const Node& defaults,
                     Sources& sources, Findings& findings) {
  Overrides overrides(root, defaults, sources, findings);
  for (const std::string& text : sets) overrides.apply(text);
}

}  // namespace mortise::host
