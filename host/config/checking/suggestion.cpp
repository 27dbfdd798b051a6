#include "host/config/checking/suggestion.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

namespace mortise::host {
namespace {

// Code points of valid UTF-8.
std::u32string decode(std::string_view text) {
  std::u32string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0u) == 0x80u && !out.empty())
      out.back() = (out.back() << 6) | (byte & 0x3Fu);
    else if (byte < 0x80)
      out += byte;
    else
      out += static_cast<char32_t>(byte & (byte >= 0xF0 ? 0x07u : byte >= 0xE0 ? 0x0Fu : 0x1Fu));
  }
  return out;
}

std::u32string folded(std::string_view text) {
  std::u32string out = decode(text.substr(0, 200));
  for (char32_t& c : out) {
    if (c == U'-' || c == U' ') c = U'_';
    if (c >= U'A' && c <= U'Z') c += U'a' - U'A';
  }
  return out;
}

std::string code_point(char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, "<U+%04X>", static_cast<unsigned>(c));
  return text;
}

std::string escape(std::string_view text, char32_t first_escaped) {
  std::string out;
  std::size_t at = 0;
  for (const char32_t c : decode(text)) {
    const std::size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (c < 0x20 || c == 0x7F || c >= first_escaped)
      out += code_point(c);
    else
      out += text.substr(at, length);
    at += length;
  }
  return out;
}

int near_enough(std::string_view word) { return word.size() <= 3 ? 1 : word.size() <= 7 ? 2 : 3; }

}  // namespace

int edit_distance(std::string_view a_text, std::string_view b_text) {
  const std::u32string a = folded(a_text);
  const std::u32string b = folded(b_text);
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  int best_distance = near_enough(word) + 1;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    const bool all_changed = distance >= static_cast<int>(std::max(word.size(), candidate.size()));
    if (distance >= best_distance || all_changed) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string visible(std::string_view text) { return escape(text, 0x80); }

std::string one_line(std::string_view text) { return escape(text, 0x110000); }

std::string list_of(const std::vector<std::string>& names, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < limit; ++i) out += (i ? ", " : "") + names[i];
  return names.size() > limit ? out + ", …" : out;
}

std::string judge_name(std::string_view name, bool dots) {
  if (name.empty()) return "a name may not be empty";
  if (name.size() > 200) return "a name may have at most 200 bytes";
  if (name.front() == '.' || name.front() == '-') return "a name may not begin with `.` or `-`";
  for (const char32_t c : decode(name)) {
    const bool plain = (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') ||
                       (c >= U'0' && c <= U'9') || c == U'_' || c == U'-';
    if (plain || (dots && c == U'.')) continue;
    if (c >= 0x300 && c <= 0x36F) {
      return "a name may not hold the combining mark " + code_point(c) +
             ": write the composed letter";
    }
    const bool invisible = (c >= 0x80 && c <= 0xA0) || (c >= 0x2000 && c <= 0x206F) || c == 0xFEFF;
    if (c < 0x80 || invisible) {
      return "a name is made of letters, digits, `_`" + std::string(dots ? ", `.`" : "") +
             " and `-`, not " +
             (c > 0x20 && c < 0x7F ? "`" + std::string(1, char(c)) + "`" : code_point(c));
    }
  }
  return "";
}

}  // namespace mortise::host
