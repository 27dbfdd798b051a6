// Orders of samples as functions of a key.

#include "plugins/data/keyed_permutation/permutation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <mortise/random.hpp>
#include <numeric>

namespace {

using mortise::order::FeistelPermutation;
using mortise::order::shuffled;

bool is_permutation(const std::vector<std::int64_t>& order) {
  std::vector<bool> seen(order.size());
  for (const std::int64_t i : order) {
    if (i < 0 || i >= std::int64_t(order.size()) || seen[std::size_t(i)]) return false;
    seen[std::size_t(i)] = true;
  }
  return true;
}

std::vector<std::int64_t> feistel(std::int64_t n, std::uint64_t key) {
  const FeistelPermutation permutation(n, key);
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i != n; ++i) order.push_back(permutation(i));
  return order;
}

// Pearson's statistic of `counts` against equal shares, in standard deviations of its distribution.
double excess(const std::vector<std::int64_t>& counts) {
  const double total = double(std::accumulate(counts.begin(), counts.end(), std::int64_t(0)));
  const double expected = total / double(counts.size()), freedom = double(counts.size() - 1);
  double sum = 0;
  for (const std::int64_t c : counts)
    sum += (double(c) - expected) * (double(c) - expected) / expected;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST_CASE("permutation: every size gives each number once") {
  for (std::int64_t n = 1; n <= 300; ++n) {
    CAPTURE(n);
    REQUIRE(is_permutation(shuffled(n, 5)));
    if (n > 1) REQUIRE(is_permutation(feistel(n, 5)));
  }
  CHECK(is_permutation(shuffled(65535, 1)));
  for (const std::int64_t n : {65535, 65536, 65537, 1000003}) {
    CAPTURE(n);
    CHECK(is_permutation(feistel(n, 1)));
  }
}

TEST_CASE("permutation: a shuffle gives every order of four equally often") {
  std::vector<std::int64_t> counts(256);
  for (std::uint64_t key = 0; key != 24000; ++key) {
    const auto order = shuffled(4, mortise::random::mix(key));
    ++counts[std::size_t(order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3])];
  }
  std::erase(counts, 0);
  CHECK(counts.size() == 24);
  CHECK(std::abs(excess(counts)) < 5);
}

TEST_CASE("permutation: positions land evenly, and neighbours part") {
  constexpr std::int64_t n = 65537, cells = 64;
  std::vector<std::int64_t> places(cells * cells), steps(cells);
  for (std::uint64_t key = 0; key != 8; ++key) {
    const FeistelPermutation permutation(n, mortise::random::mix(key));
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      const std::int64_t here = permutation(i), next = permutation(i + 1);
      ++places[std::size_t(i * cells / n * cells + here * cells / n)];
      ++steps[std::size_t((next - here + n) % n * cells / n)];
    }
  }
  CHECK(std::abs(excess(places)) < 5);
  CHECK(std::abs(excess(steps)) < 5);
}

TEST_CASE("permutation: about one number stays in its place, whatever the key") {
  std::int64_t fixed = 0;
  for (std::uint64_t key = 0; key != 40; ++key) {
    const auto order = feistel(70000, mortise::random::mix(key));
    for (std::int64_t i = 0; i != 70000; ++i) fixed += order[std::size_t(i)] == i ? 1 : 0;
  }
  CHECK(fixed > 10);  // Poisson, mean 40
  CHECK(fixed < 80);
}
