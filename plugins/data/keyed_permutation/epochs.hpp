#pragma once

// What sample orders share: the check of a request, and its epochs one by one.

#include <algorithm>
#include <limits>
#include <mortise/data/sample_order.hpp>
#include <mortise/random.hpp>
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

// Places [begin, begin + count) of an epoch.
struct Stretch {
  std::int64_t epoch, begin, count;
};

template <class F>
void for_each_epoch(const OrderRequest& request, const F& f) {
  const std::int64_t end = request.first + request.count;
  for (std::int64_t at = request.first; at != end;) {
    const std::int64_t begin = at % request.samples;
    const std::int64_t count = std::min(request.samples - begin, end - at);
    f(Stretch{at / request.samples, begin, count});
    at += count;
  }
}

// The key of one epoch of one stream.
inline std::uint64_t key_of_epoch(std::uint64_t key, std::int64_t stream, std::int64_t epoch) {
  if (stream != 0) key = random::bits(key, static_cast<std::uint64_t>(stream));
  return random::bits(key, static_cast<std::uint64_t>(epoch));
}

}  // namespace mortise::order
