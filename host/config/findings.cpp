#include "host/config/findings.hpp"

#include <algorithm>
#include <tuple>

namespace mortise::host {
namespace {

constexpr FindingId kFindingIds[] = {
    {finding::unreadable, "a file cannot be read"},
    {finding::encoding, "a file is not UTF-8 text"},
    {finding::syntax, "a file is not YAML"},
    {finding::tab, "a line is indented with a tab"},
    {finding::too_deep, "values are nested too deeply"},
    {finding::too_large, "a file holds too much, or aliases expand to too much"},
    {finding::anchor_cycle, "an anchor contains its own alias"},
    {finding::merge_key, "merge keys are not supported"},
    {finding::several_documents, "a file holds several YAML documents"},
    {finding::tag, "YAML tags are not supported"},
    {finding::bad_key, "a key is not plain text"},
    {finding::duplicate_key, "a key is written twice"},
    {finding::quote_it, "an interpolation inside { } or [ ] needs quotes"},
    {finding::include_missing, "an included file is nowhere to be found"},
    {finding::include_cycle, "files include each other"},
    {finding::site_section, "a section does not belong in this file"},
    {finding::bad_override, "--set is not of the form PATH=VALUE"},
    {finding::override_target, "--set names something that is not there"},
    {finding::interpolated_key, "an interpolation in a key"},
    {finding::bad_interpolation, "an interpolation is malformed"},
    {finding::dangling_path, "an interpolation names a setting that is not there"},
    {finding::unset_variable, "an environment variable is not set"},
    {finding::interpolation_cycle, "interpolations lead back to themselves"},
    {finding::interpolation_size, "interpolations expand to too much"},
    {finding::unknown_section, "an unknown section"},
    {finding::reserved, "a key is reserved for later"},
    {finding::missing, "a required key is missing"},
    {finding::unknown_setting, "an unknown or misplaced key"},
    {finding::wrong_type, "a value of the wrong type"},
    {finding::out_of_range, "a value out of its range"},
    {finding::not_a_choice, "a value that is none of the choices"},
    {finding::quoted_value, "a quoted value where no text is expected"},
    {finding::rule_broken, "settings that do not fit each other"},
    {finding::unknown_component, "no plugin offers a component"},
    {finding::wrong_kind, "a component of another kind than expected"},
    {finding::dangling_ref, "a ref names no component"},
    {finding::circular_ref, "components need each other in a circle"},
    {finding::bad_name, "a name that cannot be one"},
    {finding::not_supported, "a value that this version does not support"},
    {finding::broken_schema, "a plugin's schema is broken"},
    {finding::no_component, "a component node without use"},
    {finding::refused_component, "a component whose plugin the gate has refused"},
    {finding::micro_batch, "a micro-batch is larger than the step"},
    {finding::ambiguous_component, "several plugins offer a component"},
};

constexpr int kLineShown = 120;  // characters of a line that are printed

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// The characters [from, from + count) of `text`, tabs as blanks.
std::string characters(std::string_view text, int from, int count) {
  std::string out;
  int index = -1;
  for (const char c : text) {
    if (!is_continuation(c)) ++index;
    if (index >= from && index < from + count) out += c == '\t' ? ' ' : c;
  }
  return out;
}

std::string caret_lines(const Place& place) {
  const std::string_view line = place.source->line(place.line);
  const int total = count_characters(line);
  const int column = std::clamp(place.column, 1, total + 1);
  const int from = column > kLineShown ? column - kLineShown / 2 : 0;
  const int length = std::clamp(
      place.length, 1, std::max(1, std::min(total - column + 1, from + kLineShown - column + 1)));
  std::string number = place.source->is_file() ? std::to_string(place.line) : "";
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  const std::string indent(number.size(), ' ');
  return number + " | " + characters(line, from, kLineShown) + "\n" + indent + " | " +
         std::string(static_cast<std::size_t>(column - 1 - from), ' ') + "^" +
         std::string(static_cast<std::size_t>(length - 1), '~') + "\n";
}

// A file may hold a text of megabytes; a message does not repeat it.
std::string cut(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && is_continuation(text[limit])) --limit;
  return text.substr(0, limit) + "…";
}

std::string render(const Finding& found) {
  // A file that nobody asks for in a file is its own place.
  const bool is_file = !found.place.source && found.id == std::string_view(finding::unreadable);
  const std::string where = is_file ? found.path : describe(found.place);
  constexpr std::size_t kPathShown = 400, kTextShown = 4000;
  std::string out = where.empty() ? "" : where + ": ";
  out += std::string("error[") + found.id + "]: ";
  if (!found.path.empty() && !is_file) out += cut(found.path, kPathShown) + ": ";
  out += cut(found.text, kTextShown) + "\n";
  if (found.place.source != nullptr) out += caret_lines(found.place);
  return out;
}

auto position(const Finding& found) {
  const Source* source = found.place.source;
  return std::tuple(source ? static_cast<int>(source->kind()) : -1, source ? source->order() : 0,
                    found.place.line, found.place.column);
}

}  // namespace

std::span<const FindingId> finding_ids() { return kFindingIds; }

void Findings::add(const char* id, const Place& place, std::string path, std::string text) {
  list_.push_back({id, place, std::move(path), std::move(text)});
}

void Findings::append(const Findings& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
}

void Findings::drop(const char* id, const std::string& path, const std::string& word) {
  std::erase_if(list_, [&](const Finding& found) {
    const bool holds = found.text.find(word) != std::string::npos;
    return found.id == std::string_view(id) && found.path == path && holds;
  });
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Finding& a, const Finding& b) { return position(a) < position(b); });
  return sorted;
}

std::string Findings::text() const {
  const std::vector<Finding> all = sorted();
  std::string text;
  std::string last;
  for (std::size_t i = 0; i < all.size() && i < kMaxShown; ++i) {
    std::string one = render(all[i]);
    if (one != last) text += one;  // an alias repeats what its anchor holds
    last = std::move(one);
  }
  if (all.size() > kMaxShown) {
    text += "… and " + std::to_string(all.size() - kMaxShown) + " more\n";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

void Findings::throw_if_any() const {
  if (empty()) return;
  const bool refused_only = std::all_of(list_.begin(), list_.end(), [](const Finding& found) {
    return found.id == std::string_view(finding::refused_component);
  });
  throw Failure(sorted().front().id, refused_only ? Exit::plugin : Exit::configuration, text());
}

}  // namespace mortise::host
