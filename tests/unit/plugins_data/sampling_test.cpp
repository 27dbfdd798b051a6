// Which token comes next.

#include "plugins/commands/generate/sampling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <mortise/error.hpp>
#include <mortise/random.hpp>
#include <vector>

using mortise::generate::draw;

TEST_CASE("sampling: temperature 0 takes the likeliest, the first of equals") {
  const std::vector<float> logits = {1, 5, -2, 5};
  for (const double u : {0.01, 0.5, 0.99}) CHECK(draw(logits, {0, 0}, u) == 1);
  CHECK(draw(logits, {1, 1}, 0.99) == 1);
}

TEST_CASE("sampling: tokens come as often as softmax says, above top_k never") {
  const std::vector<float> logits = {0, std::log(2.0f), std::log(4.0f), std::log(3.0f),
                                     -std::numeric_limits<float>::infinity()};
  struct Row {
    double temperature;
    std::int64_t top_k;
    std::vector<double> shares;
  };
  for (const Row& row : {Row{1, 0, {0.1, 0.2, 0.4, 0.3, 0}}, Row{1, 99, {0.1, 0.2, 0.4, 0.3, 0}},
                         Row{1, 2, {0, 0, 4 / 7.0, 3 / 7.0, 0}},
                         Row{0.5, 0, {1 / 30.0, 4 / 30.0, 16 / 30.0, 9 / 30.0, 0}}}) {
    CAPTURE(row.top_k);
    CAPTURE(row.temperature);
    constexpr int n = 20000;
    std::vector<double> seen(5);
    for (int i = 0; i != n; ++i)
      seen[std::size_t(draw(logits, {row.temperature, row.top_k},
                            mortise::random::uniform(1, std::uint64_t(i))))] += 1.0 / n;
    for (std::size_t i = 0; i != 5; ++i) CHECK(std::abs(seen[i] - row.shares[i]) < 0.02);
  }
}

TEST_CASE("sampling: logits that are not numbers are an error") {
  const std::vector<float> logits = {0, std::numeric_limits<float>::quiet_NaN()};
  CHECK_THROWS_AS(draw(logits, {1, 0}, 0.5), mortise::Error);
  CHECK_THROWS_AS(draw(logits, {0, 0}, 0.5), mortise::Error);
}
