#include "number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace mortise::console {

namespace {

constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string scientific(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", digits, value);
  return text;
}

std::string two_parts(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%lld%c%02lld%c", static_cast<long long>(large), large_unit,
                static_cast<long long>(small), small_unit);
  return text;
}

std::string not_finite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto s = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e12) + 0.5);
  if (s < kMinute) return std::to_string(s) + "s";
  if (s < kHour) return two_parts(s / kMinute, 'm', s % kMinute, 's');
  if (s < kDay) return two_parts(s / kHour, 'h', s % kHour / kMinute, 'm');
  return two_parts(s / kDay, 'd', s % kDay / kHour, 'h');
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return not_finite(count);
  if (std::abs(count) < 999.5) return fixed(count, 0);
  constexpr const char* units[] = {"k", "M", "B", "T"};
  int unit = 0;
  double scaled = count / 1000;
  for (; std::abs(scaled) >= 999.5 && unit != 3; scaled /= 1000) ++unit;
  const double size = std::abs(scaled);
  const int digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fixed(scaled, digits) + units[unit];
}

std::string value_text(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  const double size = std::abs(value);
  if (size >= 1e5 || (size > 0 && size < std::pow(10.0, -digits))) return scientific(value, 2);
  return fixed(value, digits);
}

std::string rate_text(double rate) {
  return std::isfinite(rate) ? scientific(rate, 1) : not_finite(rate);
}

}  // namespace mortise::console
