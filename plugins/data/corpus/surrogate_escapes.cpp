#include "surrogate_escapes.hpp"

#include <charconv>

namespace mortise::corpus {

namespace {

constexpr std::size_t kEscape = 6;  // characters of \uXXXX

// The number of the escape at `at`, -1 where there is none.
int unit_at(std::string_view json, std::size_t at) {
  if (at + kEscape > json.size() || json[at] != '\\' || json[at + 1] != 'u') return -1;
  int unit = -1;
  const char *const first = json.data() + at + 2, *const last = json.data() + at + kEscape;
  return std::from_chars(first, last, unit, 16).ptr == last ? unit : -1;
}

bool is_high(int unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(int unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

std::string without_lone_surrogates(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const int unit = unit_at(json, at);
    std::size_t taken = json[at] == '\\' ? 2 : 1;  // an escaped backslash begins no escape
    if (is_high(unit) && is_low(unit_at(json, at + kEscape))) {
      taken = 2 * kEscape;
    } else if (is_high(unit) || is_low(unit)) {
      out += "\\ufffd";
      at += kEscape;
      continue;
    }
    out += json.substr(at, taken);
    at += taken;
  }
  return out;
}

}  // namespace mortise::corpus
