#include <doctest/doctest.h>

#include <cmath>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <numbers>

#include "loaded.hpp"

namespace mortise::tests {
namespace {

// What every LearningRateSchedule owes its caller, whatever its curve.
void check_contract(const LearningRateSchedule& schedule, std::int64_t total_steps) {
  for (std::int64_t step = 0; step <= 2 * total_steps; ++step) {
    CAPTURE(step);
    const double factor = schedule.factor({.step = step, .total_steps = total_steps});
    REQUIRE(std::isfinite(factor));
    REQUIRE(factor >= 0);
    if (step > total_steps)
      REQUIRE(factor == schedule.factor({.step = total_steps, .total_steps = total_steps}));
  }
}

struct Row {
  const char* where;
  std::int64_t step;
  double factor;
};

}  // namespace

TEST_CASE("warmup_cosine: factor follows warm-up, peak, decay and floor") {
  const Loaded<LearningRateSchedule> schedule(
      "warmup_cosine", Settings().set("warmup", steps(10)).set("final", 0.2));
  const double quarter = 0.2 + 0.8 * 0.5 * (1 + std::cos(std::numbers::pi * 0.25));
  for (const Row& row : {Row{"first step", 0, 0.1}, Row{"middle of the warm-up", 4, 0.5},
                         Row{"end of the warm-up", 9, 1.0}, Row{"peak", 10, 1.0},
                         Row{"a quarter of the decay", 35, quarter}, Row{"half of it", 60, 0.6},
                         Row{"floor", 110, 0.2}, Row{"past the horizon", 500, 0.2}}) {
    CAPTURE(row.where);
    CHECK(schedule->factor({.step = row.step, .total_steps = 110}) == doctest::Approx(row.factor));
  }
  check_contract(*schedule, 110);
}

TEST_CASE("linear: factor falls in a straight line") {
  const Loaded<LearningRateSchedule> schedule(
      "linear", Settings().set("warmup", steps(10)).set("final", 0.2));
  for (const Row& row :
       {Row{"first step", 0, 0.1}, Row{"peak", 10, 1.0}, Row{"half of the decay", 60, 0.6},
        Row{"last step", 109, 0.208}, Row{"floor", 110, 0.2}, Row{"past the horizon", 500, 0.2}}) {
    CAPTURE(row.where);
    CHECK(schedule->factor({.step = row.step, .total_steps = 110}) == doctest::Approx(row.factor));
  }
  check_contract(*schedule, 110);
}

TEST_CASE("constant: factor is 1 after the warm-up, from the first step by default") {
  const Loaded<LearningRateSchedule> plain("constant");
  CHECK(plain->factor({.step = 0, .total_steps = 100}) == 1);
  CHECK(plain->factor({.step = 1000, .total_steps = 100}) == 1);
  const Loaded<LearningRateSchedule> warmed("constant", Settings().set("warmup", steps(4)));
  CHECK(warmed->factor({.step = 0, .total_steps = 100}) == 0.25);
  CHECK(warmed->factor({.step = 3, .total_steps = 100}) == 1);
  check_contract(*warmed, 100);
}

TEST_CASE("schedules: a warm-up in percent or tokens is one in steps") {
  const Progress progress{.step = 0, .total_steps = 1000, .tokens_per_step = 50};
  for (const char* key : {"warmup_cosine", "linear", "constant"}) {
    CAPTURE(key);
    const Loaded<LearningRateSchedule> in_percent(key, Settings().set("warmup", percent(2)));
    CHECK(in_percent->factor(progress) == doctest::Approx(1.0 / 20));
    const Amount tokens{1000, Amount::Unit::tokens};
    const Loaded<LearningRateSchedule> in_tokens(key, Settings().set("warmup", tokens));
    CHECK(in_tokens->factor(progress) == doctest::Approx(1.0 / 20));
  }
}

TEST_CASE("schedules: no warm-up, and a warm-up as long as the run, are no special cases") {
  for (const char* key : {"warmup_cosine", "linear"}) {
    CAPTURE(key);
    const Loaded<LearningRateSchedule> cold(key, Settings().set("warmup", steps(0)));
    CHECK(cold->factor({.step = 0, .total_steps = 10}) == 1);
    const Loaded<LearningRateSchedule> all(key, Settings().set("warmup", steps(10)));
    CHECK(all->factor({.step = 9, .total_steps = 10}) == 1);
    check_contract(*all, 10);
    check_contract(*cold, 1);
  }
}

}  // namespace mortise::tests
