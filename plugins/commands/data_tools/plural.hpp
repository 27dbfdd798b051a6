#pragma once

#include <cstdint>
#include <string>

namespace mortise::data_tools {

// 1 record, 2 records.
inline std::string plural(std::int64_t n, const std::string& word) {
  return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

}  // namespace mortise::data_tools
