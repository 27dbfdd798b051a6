// Which source each position of a run takes a sample of.

#include "plugins/data/mixture/mix_plan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <mortise/random.hpp>
#include <numeric>

#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::mixture;
using namespace mortise::tests;
using mortise::Amount;
using mortise::DrawRequest;
using mortise::percent;
using mortise::steps;
using Numbers = std::vector<std::int64_t>;

std::vector<double> random_weights(std::uint64_t key, std::size_t count) {
  std::vector<double> weights;
  for (std::size_t i = 0; i != count; ++i)
    weights.push_back(std::exp2(double(mortise::random::bits(key, i) % 1000) / 100));
  return weights;
}

double sum(const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

// 10 steps of 10 sequences of 10 tokens.
DrawRequest run(std::int64_t first, std::int64_t count, std::int64_t total_steps = 10) {
  return {first, count, total_steps, 10, 100};
}

MixPlan two(std::vector<Stage> stages, std::optional<double> repeat = {}) {
  return {{{"web", 40, {}}, {"code", 5, repeat}}, std::move(stages)};
}

}  // namespace

TEST_CASE("mixture: any stretch has of each source what its weight says, within two samples") {
  double worst = 0;
  for (std::uint64_t key = 0; key != 60; ++key) {
    const std::vector<double> weights = random_weights(key, 1 + key % 13);
    const Apportionment deal(weights);
    for (const std::int64_t base : {std::int64_t(0), std::int64_t(1) << 40}) {
      const Numbers before = deal.counts(base);
      for (std::int64_t n = 1; n < 3000; n += 1 + n / 7) {
        const Numbers after = deal.counts(base + n);
        for (std::size_t i = 0; i != weights.size(); ++i)
          worst = std::max(worst, std::abs(double(after[i] - before[i]) -
                                           double(n) * weights[i] / sum(weights)));
      }
    }
  }
  CHECK(worst < 2);
  CHECK(worst > 0.5);
}

TEST_CASE("mixture: the source of a position is that whose count grows there") {
  for (std::uint64_t key = 0; key != 20; ++key) {
    const std::vector<double> weights = random_weights(key + 100, 1 + key % 7);
    const Apportionment deal(weights);
    for (const std::int64_t base : {std::int64_t(0), std::int64_t(1) << 50}) {
      Numbers counts = deal.counts(base);
      for (std::int64_t p = base; p != base + 500; ++p) {
        const Apportionment::Turn turn = deal.at(p);
        REQUIRE(turn.number == counts[turn.share]);
        ++counts[turn.share];
        REQUIRE(deal.counts(p + 1) == counts);
      }
    }
  }
}

TEST_CASE("mixture: weights of 80 and 20 take four of one and one of the other, again and again") {
  const Apportionment deal({80, 20});
  CHECK(deal.counts(1000000) == Numbers{800000, 200000});
  for (std::int64_t p = 0; p != 1000; p += 5) {
    const Numbers before = deal.counts(p), after = deal.counts(p + 5);
    REQUIRE(after[0] - before[0] == 4);
  }
}

TEST_CASE("mixture: a source without a weight in a stage rests there, and goes on afterwards") {
  const MixPlan plan =
      two({{percent(50), {1, 0}}, {Amount{800, Amount::Unit::tokens}, {0, 1}}, {{}, {1, 1}}});
  CHECK(plan.drawn(run(50, 0)) == Numbers{50, 0});
  CHECK(plan.drawn(run(80, 0)) == Numbers{50, 30});
  CHECK(plan.drawn(run(100, 0)) == Numbers{60, 40});
  CHECK(plan.drawn(run(100000, 0)) == Numbers{50010, 49990});  // after the end: the last stage
  const auto draws = plan.draws(run(48, 4));
  CHECK(draws[0].number == 48);
  CHECK(draws[0].places == std::vector<std::size_t>{0, 1});
  CHECK(draws[1].number == 0);
  CHECK(draws[1].places == std::vector<std::size_t>{2, 3});
}

TEST_CASE("mixture: any split of a request gives the same draws") {
  const MixPlan plan = two({{steps(3), {3, 2}}, {percent(70), {1, 7}}, {{}, {0.3, 0.1}}});
  std::vector<Numbers> whole(2);
  Numbers next{0, 0};
  const auto all = plan.draws(run(0, 100));
  for (std::size_t s = 0; s != 2; ++s) CHECK(all[s].number == 0);
  CHECK(all[0].places.size() + all[1].places.size() == 100);
  for (std::int64_t at = 0, n = 1; at != 100; n = n % 11 + 2) {
    const std::int64_t take = std::min<std::int64_t>(n, 100 - at);
    const auto part = plan.draws(run(at, take));
    for (std::size_t s = 0; s != 2; ++s) {
      if (part[s].places.empty()) continue;
      CHECK(part[s].number == next[s]);
      for (const std::size_t place : part[s].places) {
        CHECK(all[s].places[std::size_t(next[s])] == place + std::size_t(at));
        ++next[s];
      }
    }
    at += take;
  }
}

TEST_CASE("mixture: a source that would run out is refused with numbers and the steps that do") {
  const MixPlan plan = two({{{}, {80, 20}}}, 2.0);  // 10 draws of code: half of the run
  CHECK(plan.draws(run(40, 9)).size() == 2);
  const std::string message = message_of<mortise::DataError>([&] { plan.draws(run(99, 1)); });
  CAPTURE(message);
  for (const char* part : {"source code runs out", "5 samples", "allows 10 draws", "10 steps",
                           "take 20", "suffice for 5 steps"})
    CHECK(contains(message, part));
  CHECK(two({{{}, {80, 20}}}, 4.0).draws(run(99, 1)).size() == 2);
}

TEST_CASE("mixture: stages that do not follow each other are refused with their steps") {
  struct Bad {
    std::vector<Stage> stages;
    const char* text;
  };
  for (const Bad& bad :
       {Bad{{{percent(90), {1, 1}}, {steps(8), {1, 2}}, {{}, {1, 1}}},
            "number 2 ends at step 8, where the one before it ends at step 9"},
        Bad{{{percent(50), {1, 1}}, {percent(50), {1, 2}}, {{}, {1, 1}}},
            "number 2 ends at step 5"},
        Bad{{{steps(0), {1, 1}}, {{}, {1, 2}}}, "number 1 ends at step 0"},
        Bad{{{percent(50), {1, 1}}, {percent(80), {1, 2}}}, "the last one ends at step 8 of 10"}}) {
    const std::string message =
        message_of<mortise::ConfigError>([&] { two(bad.stages).draws(run(0, 1)); });
    CAPTURE(message);
    CHECK(contains(message, bad.text));
  }
  CHECK_THROWS_AS(
      two({{Amount{3600, Amount::Unit::seconds}, {1, 1}}, {{}, {1, 2}}}).draws(run(0, 1)),
      mortise::ConfigError);
}
