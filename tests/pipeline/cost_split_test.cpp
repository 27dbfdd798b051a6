#include "plugins/parallel/pipeline/cost_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace {

using mortise_pipeline::split_by_cost;
using Costs = std::vector<double>;
using Numbers = std::vector<std::int64_t>;

// The dearest run, then the sum of squares.
std::pair<double, double> badness(const Costs& costs, const Numbers& firsts) {
  double dearest = 0, squares = 0;
  for (std::size_t r = 0; r != firsts.size(); ++r) {
    const std::int64_t end = r + 1 == firsts.size() ? std::int64_t(costs.size()) : firsts[r + 1];
    double run = 0;
    for (std::int64_t u = firsts[r]; u != end; ++u) run += costs[std::size_t(u)];
    dearest = std::max(dearest, run), squares += run * run;
  }
  return {dearest, squares};
}

// The least badness of all cuts, found by trying them all.
std::pair<double, double> least(const Costs& costs, std::int64_t stages) {
  std::pair<double, double> best{1e300, 1e300};
  const auto units = std::uint32_t(costs.size());
  for (std::uint32_t cuts = 0; cuts != 1u << (units - 1); ++cuts) {
    Numbers firsts{0};
    for (std::uint32_t u = 1; u != units; ++u)
      if ((cuts >> (u - 1) & 1u) != 0) firsts.push_back(u);
    if (std::int64_t(firsts.size()) == stages) best = std::min(best, badness(costs, firsts));
  }
  return best;
}

}  // namespace

TEST_CASE("split by cost: cuts that one finds by hand") {
  struct Row {
    Costs costs;
    std::int64_t stages;
    Numbers firsts;
  };
  for (const Row& row : {Row{{1, 1, 1, 1}, 2, {0, 2}}, Row{{0, 1, 1, 1, 1, 4}, 2, {0, 5}},
                         Row{{0, 2, 2, 2, 2, 1}, 3, {0, 3, 4}}, Row{{5}, 1, {0}},
                         Row{{0, 0, 9}, 3, {0, 1, 2}}, Row{{3, 1, 1, 1}, 3, {0, 1, 3}}}) {
    CAPTURE(row.costs.size());
    CAPTURE(row.stages);
    const Numbers firsts = split_by_cost(row.costs, row.stages);
    CHECK(badness(row.costs, firsts) == badness(row.costs, row.firsts));
    CHECK(firsts.front() == 0);
  }
}

TEST_CASE("split by cost: no cut of random chains is better") {
  std::mt19937 random(20);
  for (int round = 0; round != 300; ++round) {
    Costs costs(1 + random() % 9);
    for (double& c : costs) c = double(random() % 4 == 0 ? 0 : random() % 20);
    for (std::int64_t stages = 1; stages <= std::int64_t(costs.size()); ++stages) {
      CAPTURE(round);
      CAPTURE(stages);
      const Numbers firsts = split_by_cost(costs, stages);
      REQUIRE(std::int64_t(firsts.size()) == stages);
      REQUIRE(std::is_sorted(firsts.begin(), firsts.end()));
      REQUIRE(std::adjacent_find(firsts.begin(), firsts.end()) == firsts.end());
      REQUIRE(firsts.back() < std::int64_t(costs.size()));
      CHECK(badness(costs, firsts) == least(costs, stages));
    }
  }
}
