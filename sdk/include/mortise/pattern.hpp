#pragma once

#include <string_view>

namespace [[gnu::visibility("hidden")]] mortise {

/// Whether `name` matches `pattern`, in which * stands for any text, also none.
inline bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (name.substr(0, star) != pattern.substr(0, star)) return false;
  for (std::size_t from = star; from <= name.size(); ++from)
    if (matches(pattern.substr(star + 1), name.substr(from))) return true;
  return false;
}

}  // namespace mortise
