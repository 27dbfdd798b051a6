#include "host/config/document/node.hpp"

#include <algorithm>

#include "host/config/checking/suggestion.hpp"

namespace mortise::host {

const Member* Node::find_member(std::string_view key) const {
  if (!is_map()) return nullptr;
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.key == key; });
  return found == members.end() ? nullptr : &*found;
}

Member* Node::find_member(std::string_view key) {
  return const_cast<Member*>(static_cast<const Node*>(this)->find_member(key));
}

const Node* Node::find(std::string_view key) const {
  const Member* member = find_member(key);
  return member == nullptr ? nullptr : &member->value;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

Node make_scalar(std::string text, const Place& place, bool quoted) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.quoted = quoted;
  node.place = place;
  node.named_by = place.source;
  return node;
}

Node make_map(const Place& place) {
  Node node;
  node.kind = Node::Kind::map;
  node.place = place;
  node.named_by = place.source;
  return node;
}

std::string shown(const Node& scalar) {
  constexpr std::size_t kMaxShown = 60;
  std::string text = scalar.written.empty() ? scalar.text : scalar.written;
  if (text.size() > kMaxShown) {
    std::size_t end = kMaxShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
    text = text.substr(0, end) + "…";
  }
  return "`" + one_line(text) + "`";
}

std::string element_name(const Node& element) {
  if (element.is_scalar()) return element.text.substr(element.text.rfind(':') + 1);
  if (const Node* name = element.find("name"); name && name->is_scalar()) return name->text;
  const Node* use = element.find("use");
  std::string key = use != nullptr && use->is_scalar() ? use->text : element.implied_use;
  return key.substr(key.rfind(':') + 1);
}

bool is_index(std::string_view step) {
  return !step.empty() && step.size() < 7 &&
         std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
}

const Node* step_into(const Node& node, std::string_view step) {
  if (node.is_map()) {
    const Node* member = node.find(step);
    return member == nullptr && element_name(node) == step ? &node : member;
  }
  if (!node.is_list()) return nullptr;
  if (is_index(step)) {
    const auto index = std::stoul(std::string(step));
    return index < node.items.size() ? &node.items[index] : nullptr;
  }
  const auto found = std::find_if(node.items.begin(), node.items.end(),
                                  [&](const Node& item) { return element_name(item) == step; });
  if (found != node.items.end()) return &*found;
  return node.items.size() == 1 && node.items[0].is_map() ? node.items[0].find(step) : nullptr;
}

const Node* find_path(const Node& root, std::string_view path) {
  const Node* here = &root;
  while (here != nullptr && !path.empty()) {
    const auto dot = path.find('.');
    here = step_into(*here, path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return here;
}

std::string join_path(const std::string& path, std::string_view step) {
  return path.empty() ? std::string(step) : path + "." + std::string(step);
}

}  // namespace mortise::host
