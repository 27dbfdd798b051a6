#include "host/config/composition/interpolation.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "host/config/checking/suggestion.hpp"

namespace mortise::host {
namespace {

// A stretch of a scalar: literal text, or the inside of ${…}.
struct Piece {
  bool literal = true;
  std::string text;
};

// "" or what is wrong.
std::string split(const std::string& text, std::vector<Piece>& pieces) {
  std::string literal;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.compare(at, 3, "$${") == 0) {
      literal += "${";
      at += 3;
    } else if (text.compare(at, 2, "${") == 0) {
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) return "`${` is never closed; a literal one is written $${";
      if (!literal.empty()) pieces.push_back({true, std::exchange(literal, "")});
      pieces.push_back({false, text.substr(at + 2, end - at - 2)});
      if (pieces.back().text.find("${") != std::string::npos) return "interpolations do not nest";
      at = end + 1;
    } else {
      literal += text[at++];
    }
  }
  if (!literal.empty() || pieces.empty()) pieces.push_back({true, literal});
  return "";
}

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int depth_of(const Node& node) {
  int deepest = 0;
  for (const Node& item : node.items) deepest = std::max(deepest, depth_of(item));
  for (const Member& member : node.members) deepest = std::max(deepest, depth_of(member.value));
  return deepest + 1;
}

std::size_t size_of(const Node& node) {
  std::size_t size = 1;
  for (const Node& item : node.items) size += size_of(item);
  for (const Member& member : node.members) size += size_of(member.value);
  return size;
}

std::size_t bytes_of(const Node& node) {
  std::size_t bytes = node.text.size() + node.written.size();
  for (const Node& item : node.items) bytes += bytes_of(item);
  for (const Member& member : node.members) bytes += member.key.size() + bytes_of(member.value);
  return bytes;
}

void gather_paths(const Node& node, const std::string& path, std::vector<std::string>& paths) {
  if (paths.size() > 2000) return;
  if (!path.empty()) paths.push_back(path);
  for (const Member& member : node.members)
    gather_paths(member.value, join_path(path, member.key), paths);
}

class Interpolator {
 public:
  Interpolator(Node& root, const DefaultLookup& defaults, Findings& findings)
      : root_(root), defaults_(defaults), findings_(findings) {}

  void resolve(Node& node, const std::string& path);

 private:
  void resolve_scalar(Node& node, const std::string& path);
  void resolve_members(Node& node, const std::string& path);
  void substitute(Node& node, const std::vector<Piece>& pieces, const std::string& path);
  // The value of one ${…}; nothing after a finding.
  std::optional<Node> evaluate(const std::string& inside, const Node& at, const std::string& path);
  std::optional<Node> environment(const std::string& inside, const Node& at,
                                  const std::string& path);
  std::optional<Node> secret(const std::string& name, const Node& at, const std::string& path);
  std::optional<Node> setting(const std::string& target, const Node& at, const std::string& path);
  void refuse_dangling(const std::string& target, const Node& at, const std::string& path);
  bool spend(const Node& value, const Node& at, const std::string& path);
  std::nullopt_t refuse(const char* id, const Node& at, const std::string& path,
                        const std::string& text) {
    findings_.add(id, at.place, visible(path), text);
    return std::nullopt;
  }

  Node& root_;
  const DefaultLookup& defaults_;
  Findings& findings_;
  std::set<const Node*> open_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

void Interpolator::resolve(Node& node, const std::string& path) {
  if (node.is_scalar()) return resolve_scalar(node, path);
  if (node.is_map()) return resolve_members(node, path);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string name = element_name(node.items[i]);
    resolve(node.items[i],
            join_path(path, node.items[i].is_map() && !name.empty() ? name : std::to_string(i)));
  }
}

void Interpolator::resolve_members(Node& node, const std::string& path) {
  for (const Member& member : node.members) {
    if (member.key.find("${") == std::string::npos) continue;
    findings_.add(finding::interpolated_key, member.place, visible(join_path(path, member.key)),
                  "a key takes no interpolation: only values do");
  }
  std::erase_if(node.members,
                [](const Member& member) { return member.key.find("${") != std::string::npos; });
  for (Member& member : node.members) resolve(member.value, join_path(path, member.key));
}

void Interpolator::resolve_scalar(Node& node, const std::string& path) {
  if (node.literal || node.faulty || node.text.find("${") == std::string::npos) return;
  if (open_.contains(&node)) {
    refuse(finding::interpolation_cycle, node, path,
           "cycle: " + shown(node) + " leads back to itself");
    return;
  }
  std::vector<Piece> pieces;
  if (const std::string fault = split(node.text, pieces); !fault.empty()) {
    refuse(finding::bad_interpolation, node, path, fault);
    node.faulty = true;
    return;
  }
  open_.insert(&node);
  substitute(node, pieces, path);
  open_.erase(&node);
}

void Interpolator::substitute(Node& node, const std::vector<Piece>& pieces,
                              const std::string& path) {
  if (pieces.size() == 1 && !pieces[0].literal) {
    std::optional<Node> value = evaluate(pieces[0].text, node, path);
    if (!value || !spend(*value, node, path)) return void(node.faulty = true);
    const Place here = node.place;
    node = std::move(*value);
    node.place = here;
    node.literal = true;
    return;
  }
  std::string text;
  std::string written;
  bool has_secret = false;
  for (const Piece& piece : pieces) {
    std::optional<Node> value =
        piece.literal ? make_scalar(piece.text, node.place) : evaluate(piece.text, node, path);
    if (!value || !spend(*value, node, path)) return void(node.faulty = true);
    if (!value->is_scalar()) {
      refuse(finding::bad_interpolation, node, path,
             "${" + piece.text + "} is no single value: it can only stand alone, not inside text");
      return void(node.faulty = true);
    }
    text += value->text;
    has_secret = has_secret || !value->written.empty();
    written += value->written.empty() ? escape_interpolation(value->text) : value->written;
  }
  node.text = std::move(text);
  if (has_secret) node.written = std::move(written);
  node.literal = true;
  if (node.text.size() <= kMaxScalarBytes) return;
  refuse(finding::interpolation_size, node, path, "this text expands to more than 4 MiB");
  node.faulty = true;
}

std::optional<Node> Interpolator::evaluate(const std::string& inside, const Node& at,
                                           const std::string& path) {
  if (inside.starts_with("env:")) return environment(inside.substr(4), at, path);
  if (inside.starts_with("secret:")) return secret(inside.substr(7), at, path);
  const bool malformed = inside.empty() || inside.find_first_of(": \t") != std::string::npos;
  if (!malformed) return setting(inside, at, path);
  return refuse(
      finding::bad_interpolation, at, path,
      "`${" + visible(inside) +
          "}` is malformed: write ${path}, ${env:NAME}, ${env:NAME:-default} or ${secret:NAME}");
}

std::optional<Node> Interpolator::environment(const std::string& inside, const Node& at,
                                              const std::string& path) {
  const std::size_t colon = inside.find(":-");
  const std::string name = inside.substr(0, colon);
  if (!is_variable_name(name)) {
    return refuse(finding::bad_interpolation, at, path,
                  "`" + visible(name) + "` is no name of an environment variable");
  }
  std::optional<std::string> value = variable(name);
  if (colon != std::string::npos && (!value || value->empty())) value = inside.substr(colon + 2);
  if (!value) {
    return refuse(finding::unset_variable, at, path,
                  "environment variable " + name +
                      " is not set; set it, or write a default: ${env:" + name + ":-default}");
  }
  std::size_t offset = 0;
  if (const std::string fault = judge_text(*value, offset); !fault.empty()) {
    return refuse(finding::encoding, at, path, "environment variable " + name + " " + fault);
  }
  Node node = make_scalar(std::move(*value), at.place);
  node.named_by = at.named_by;
  return node;
}

std::optional<Node> Interpolator::secret(const std::string& name, const Node& at,
                                         const std::string& path) {
  if (!is_variable_name(name)) {
    return refuse(finding::bad_interpolation, at, path,
                  "`" + visible(name) + "` is no name of a secret");
  }
  const std::optional<std::string> value = variable(name);
  if (!value) {
    return refuse(finding::unset_variable, at, path,
                  "secret " + name + " is not set: it is the environment variable of that name");
  }
  Node node = make_scalar(*value, at.place);
  node.named_by = at.named_by;
  node.written = "${secret:" + name + "}";
  return node;
}

std::optional<Node> Interpolator::setting(const std::string& target, const Node& at,
                                          const std::string& path) {
  auto* found = const_cast<Node*>(find_path(root_, target));
  if (found == nullptr || found->is_null()) {
    std::optional<Node> fallback = defaults_ ? defaults_(target) : std::nullopt;
    if (fallback) return fallback;
    refuse_dangling(target, at, path);
    return std::nullopt;
  }
  const std::size_t before = findings_.size();
  resolve(*found, target);
  if (found->faulty || findings_.size() != before) return std::nullopt;
  return *found;
}

void Interpolator::refuse_dangling(const std::string& target, const Node& at,
                                   const std::string& path) {
  if (is_variable_name(target) && variable(target)) {
    refuse(finding::dangling_path, at, path,
           "there is no setting " + target +
               ", but an environment variable: did you mean ${env:" + target + "}?");
    return;
  }
  std::vector<std::string> paths;
  gather_paths(root_, "", paths);
  const std::string near = nearest(target, paths);
  const bool like_variable =
      is_variable_name(target) &&
      std::all_of(target.begin(), target.end(), [](char c) { return !(c >= 'a' && c <= 'z'); });
  std::string text = "${" + visible(target) + "} is dangling: there is no such setting";
  if (!near.empty())
    text += "; did you mean ${" + near + "}?";
  else if (like_variable)
    text += "; the environment variable (which is not set) is written ${env:" + target + "}";
  refuse(finding::dangling_path, at, path, text);
}

bool Interpolator::spend(const Node& value, const Node& at, const std::string& path) {
  values_ += size_of(value);
  bytes_ += bytes_of(value);
  if (values_ > kMaxValues || bytes_ > kMaxExpandedBytes) {
    refuse(finding::interpolation_size, at, path,
           "interpolations expand to more than 100,000 values or 64 MiB of text");
    return false;
  }
  if (depth_of(value) <= kMaxDepth) return true;
  refuse(finding::too_deep, at, path,
         "nested too deeply: at most " + std::to_string(kMaxDepth) + " levels are read");
  return false;
}

}  // namespace

void interpolate(Node& root, const DefaultLookup& defaults, Findings& findings) {
  Interpolator(root, defaults, findings).resolve(root, "");
}

void interpolate(Node& part, const Node& root, const std::string& path, Findings& findings,
                 const DefaultLookup& defaults) {
  Node copy = root;
  Interpolator(copy, defaults, findings).resolve(part, path);
}

std::string escape_interpolation(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "${") == 0) out += '$';
    out += text[i];
  }
  return out;
}

}  // namespace mortise::host
