#include "host/checkpoint/files/step_name.hpp"

#include <charconv>
#include <cstdio>

namespace mortise::host {
namespace {

constexpr std::string_view kPrefix = "step_";
constexpr std::string_view kPartial = ".partial";

}  // namespace

std::string step_name(std::int64_t step) {
  char name[32];
  std::snprintf(name, sizeof name, "step_%08lld", static_cast<long long>(step));
  return name;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stopped != end || text.front() == '-')
    return std::nullopt;
  return number;
}

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto step = whole_number(name.substr(kPrefix.size()));
  if (!step || step_name(*step) != name) return std::nullopt;
  return step;
}

std::string partial_name(std::int64_t step) { return step_name(step) + std::string(kPartial); }

bool is_leftover(std::string_view name) {
  if (!name.ends_with(kPartial)) return false;
  name.remove_suffix(kPartial.size());
  return step_of(name).has_value();
}

}  // namespace mortise::host
