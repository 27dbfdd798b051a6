#pragma once

// What every sample order checks before it answers.

#include <limits>
#include <mortise/data/sample_order.hpp>
#include <string>

namespace mortise::order {

inline void check(const OrderRequest& request) {
  const bool fits = request.first >= 0 && request.count > 0 && request.samples > 0 &&
                    request.first <= std::numeric_limits<std::int64_t>::max() - request.count;
  if (fits) return;
  throw Error(
      ErrorCode::bad_argument,
      "expected a first position of at least 0, and at least one position and sample; got first " +
          std::to_string(request.first) + ", count " + std::to_string(request.count) +
          ", samples " + std::to_string(request.samples));
}

}  // namespace mortise::order
