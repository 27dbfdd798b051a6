#include "host/config/document/builder.hpp"

#include <yaml-cpp/mark.h>

#include <algorithm>

#include "host/config/checking/suggestion.hpp"
#include "host/config/document/token.hpp"

namespace mortise::host {
namespace {

// Values and text bytes of a subtree.
void measure(const Node& node, std::size_t& values, std::size_t& bytes) {
  ++values;
  bytes += node.text.size();
  for (const Node& item : node.items) measure(item, values, bytes);
  for (const Member& member : node.members) {
    bytes += member.key.size();
    measure(member.value, values, bytes);
  }
}

// The dash of an empty list element; what follows it is where yaml-cpp puts the mark.
Place dash_before(const Source& source, int line, int byte_column) {
  const std::size_t end =
      source.offset(line + 1) + static_cast<std::size_t>(std::max(byte_column, 0));
  const std::size_t dash = end == 0 ? std::string::npos : source.text().rfind('-', end - 1);
  if (dash == std::string::npos) return place_at(source, line, byte_column);
  const auto before = std::string_view(source.text()).substr(0, dash);
  const auto dash_line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  return place_at(source, dash_line, static_cast<int>(dash - source.offset(dash_line + 1)));
}

}  // namespace

Place place_at(const Source& source, int line, int byte_column) {
  const std::string_view text = source.line(line + 1);
  const auto column = static_cast<std::size_t>(std::max(byte_column, 0));
  return {&source, line + 1, count_characters(text.substr(0, std::min(column, text.size()))) + 1,
          1};
}

// As place_at(), but counts on from the last mark: a line may be megabytes long.
Place TreeBuilder::place(const YAML::Mark& mark) const {
  if (mark.line != last_line_ || mark.column < last_byte_) {
    last_line_ = mark.line;
    last_byte_ = 0;
    last_column_ = 0;
  }
  const std::string_view line = source_.line(mark.line + 1);
  const auto from = std::min(static_cast<std::size_t>(last_byte_), line.size());
  const auto to = std::min(static_cast<std::size_t>(std::max(mark.column, 0)), line.size());
  last_column_ += count_characters(line.substr(from, to - std::min(from, to)));
  last_byte_ = static_cast<int>(to);
  return {&source_, mark.line + 1, last_column_ + 1, 1};
}

// yaml-cpp marks an empty value with whatever comes next: its key is the better place.
Place TreeBuilder::null_place(const YAML::Mark& mark) const {
  const std::string_view rest = source_.line(mark.line + 1);
  const auto at = static_cast<std::size_t>(mark.column);
  const char c = at < rest.size() ? rest[at] : ' ';
  const bool written = c == '~' || c == 'n' || c == 'N';
  if (!written && !frames_.empty()) {
    const Frame& frame = frames_.back();
    return frame.has_key ? frame.pending.place : dash_before(source_, mark.line, mark.column);
  }
  Place place = this->place(mark);
  if (written) place.length = c == '~' ? 1 : 4;
  return place;
}

std::string TreeBuilder::path() const {
  constexpr std::size_t kMaxShown = 120;
  std::string path;
  for (const Frame& frame : frames_) {
    const bool list = frame.node.is_list();
    if (!list && !frame.has_key) break;
    path = join_path(path, list ? std::to_string(frame.node.items.size())
                                : visible(frame.pending.key.substr(0, kMaxShown)));
    if (path.size() > kMaxShown) return path.substr(0, path.find_last_of('.')) + ".…";
  }
  return path;
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ == 1) return;
  findings_.add(finding::several_documents, place(mark), "",
                "a second document begins here; a file of settings is one document");
  throw Unreadable{};
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Node node;
  node.place = null_place(mark);
  node.named_by = &source_;
  if (takes_key()) return refuse_key(node.place, "a key may not be empty or null");
  put(std::move(node), anchor);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  Node node = make_scalar(value, place(mark), tag == "!");
  const Token token = token_at(source_, mark.line, mark.column, value);
  node.place.length = token.length;
  refuse_tab(node.place);
  refuse_tag(node.place, tag);
  if (!token.closed) {
    findings_.add(finding::syntax, node.place, path(), "the quote that opens here is never closed");
    throw Unreadable{};
  }
  if (value.size() > kMaxScalarBytes) {
    findings_.add(finding::too_large, node.place, path(), "this text is longer than 4 MiB");
    throw Unreadable{};
  }
  if (takes_key()) return start_member(std::move(node));
  put(std::move(node), anchor);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  open(Node::Kind::list, mark, tag, anchor, style == YAML::EmitterStyle::Flow);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  open(Node::Kind::map, mark, tag, anchor, style == YAML::EmitterStyle::Flow);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Place here = place(mark);
  if (takes_key()) return refuse_key(here, "a key may not be an alias");
  const Anchored& target = anchors_[anchor];
  if (target.open) {
    findings_.add(finding::anchor_cycle, here, path(),
                  "cycle: this alias stands inside its own anchor");
    throw Unreadable{};
  }
  spend(target.values, target.bytes, here);
  put(target.node, 0);
}

void TreeBuilder::open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor, bool flow) {
  Frame frame;
  frame.node.kind = kind;
  frame.node.place = place(mark);
  frame.node.named_by = &source_;
  frame.anchor = anchor;
  frame.flow = flow || (!frames_.empty() && frames_.back().flow);
  refuse_tag(frame.node.place, tag);
  if (frames_.size() >= kMaxDepth) {
    findings_.add(finding::too_deep, frame.node.place, path(),
                  "nested too deeply: at most " + std::to_string(kMaxDepth) + " levels are read");
    throw Unreadable{};
  }
  if (takes_key()) {
    findings_.add(finding::bad_key, frame.node.place, path(),
                  "a key may not be a list or a mapping; or is a bracket not closed?");
    throw Unreadable{};
  }
  if (anchor != 0) anchors_[anchor] = Anchored{};
  spend(1, 0, frame.node.place);
  frames_.push_back(std::move(frame));
}

void TreeBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  --values_;  // put() counts it again
  put(std::move(frame.node), frame.anchor);
}

void TreeBuilder::put(Node node, YAML::anchor_t anchor) {
  spend(1, node.text.size(), node.place);
  if (anchor != 0) remember(node, anchor);
  if (frames_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  if (frame.node.is_list()) {
    frame.node.items.push_back(std::move(node));
    return;
  }
  frame.pending.value = std::move(node);
  if (!frame.discard) frame.node.members.push_back(std::move(frame.pending));
  frame.has_key = frame.discard = false;
  frame.pending = {};
}

// The copy counts too, so that nested anchors cannot multiply it.
void TreeBuilder::remember(const Node& node, YAML::anchor_t anchor) {
  Anchored kept{false, node, 0, 0};
  measure(node, kept.values, kept.bytes);
  spend(kept.values, kept.bytes, node.place);
  anchors_[anchor] = std::move(kept);
}

void TreeBuilder::spend(std::size_t values, std::size_t bytes, const Place& place) {
  values_ += values;
  bytes_ += bytes;
  if (values_ <= kMaxValues && bytes_ <= kMaxExpandedBytes) return;
  findings_.add(finding::too_large, place, path(),
                "too many values: a file may hold 100,000 values and 64 MiB of text, counting "
                "what its aliases stand for");
  throw Unreadable{};
}

bool TreeBuilder::takes_key() const {
  return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key;
}

void TreeBuilder::start_member(Node key) {
  const std::string here = join_path(path(), visible(key.text.substr(0, 120)));
  Frame& frame = frames_.back();
  frame.has_key = true;
  spend(0, key.text.size(), key.place);
  if (key.text == "<<" && !key.quoted) {
    findings_.add(finding::merge_key, key.place, here,
                  "merge keys (<<) are not supported: write the keys out, or include: a file");
    frame.discard = true;
  }
  const auto [first, fresh] = frame.lines.emplace(key.text, key.place.line);
  if (!fresh && !frame.discard) {
    findings_.add(finding::duplicate_key, key.place, here,
                  "is written twice; the first is in line " + std::to_string(first->second));
    frame.discard = true;
  }
  frame.pending = Member{std::move(key.text), key.place, Node{}};
}

void TreeBuilder::refuse_key(const Place& place, const std::string& text) {
  findings_.add(finding::bad_key, place, path(), text);
  frames_.back().has_key = frames_.back().discard = true;
}

void TreeBuilder::refuse_tag(const Place& place, const std::string& tag) {
  if (tag.empty() || tag == "?" || tag == "!") return;
  const std::string standard = "tag:yaml.org,2002:";
  const std::string shown = tag.starts_with(standard) ? "!!" + tag.substr(standard.size()) : tag;
  findings_.add(
      finding::tag, place, path(),
      "YAML tags (`" + one_line(shown.substr(0, 60)) + "`) are not supported: quote what is text");
}

// YAML allows a tab before a word that continues a line or stands in { }, where nothing depends on
// it; at the start of a block line it is nearly always meant as indentation.
void TreeBuilder::refuse_tab(const Place& place) {
  if (!frames_.empty() && frames_.back().flow) return;
  const std::string_view line = source_.line(place.line);
  const std::size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
  if (tab == std::string_view::npos || place.column <= static_cast<int>(tab)) return;
  findings_.add(finding::tab, {&source_, place.line, static_cast<int>(tab) + 1, 1}, "",
                "this line is indented with a tab: YAML takes spaces only");
  throw Unreadable{};
}

}  // namespace mortise::host
