#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mortise/error.hpp>
#include <numeric>
#include <vector>

namespace mortise::generate {

namespace {

// The ids of the `k` largest logits, largest first.
std::vector<std::int64_t> largest(std::span<const float> logits, std::size_t k) {
  std::vector<std::int64_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), std::int64_t(0));
  std::partial_sort(ids.begin(), ids.begin() + std::ptrdiff_t(k), ids.end(),
                    [&](std::int64_t a, std::int64_t b) {
                      const float x = logits[std::size_t(a)], y = logits[std::size_t(b)];
                      return x > y || (x == y && a < b);
                    });
  ids.resize(k);
  return ids;
}

}  // namespace

std::int64_t draw(std::span<const float> logits, const Sampling& sampling, double uniform) {
  if (std::any_of(logits.begin(), logits.end(), [](float x) { return std::isnan(x); }))
    throw Error(ErrorCode::failed, "the model gave logits that are not numbers");
  if (sampling.temperature == 0)
    return std::max_element(logits.begin(), logits.end()) - logits.begin();
  const bool limited = sampling.top_k > 0 && std::size_t(sampling.top_k) < logits.size();
  const auto ids = largest(logits, limited ? std::size_t(sampling.top_k) : logits.size());
  const double top = logits[std::size_t(ids[0])];
  std::vector<double> sums;  // of weights, up to and with each id
  double sum = 0;
  for (const std::int64_t id : ids) {
    sum += std::exp((double(logits[std::size_t(id)]) - top) / sampling.temperature);
    sums.push_back(sum);
  }
  const auto found = std::upper_bound(sums.begin(), sums.end(), uniform * sum);
  return ids[std::min(std::size_t(found - sums.begin()), ids.size() - 1)];
}

}  // namespace mortise::generate
