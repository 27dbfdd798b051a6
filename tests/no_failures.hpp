#pragma once

// Include after doctest; where LibTorch is, after tests/doctest_with_torch.hpp.

#include "sdk/conformance/report.hpp"

namespace mortise::tests {

inline void check_no_failures(const conformance::Report& report) {
  INFO(report.text());
  CHECK(report.failures().empty());
  CHECK(report.checked() > 0);
}

// Whether a suite has found a fault in which `part` stands.
inline bool found(const conformance::Report& report, std::string_view part) {
  return report.text().find(part) != std::string::npos;
}

}  // namespace mortise::tests
