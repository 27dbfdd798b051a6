// What the console says.

#include "plugins/run/console/console_text.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "plugins/run/console/number_text.hpp"
#include "plugins/run/console/time_left.hpp"

namespace {

using namespace mortise::console;
using mortise::StepRecord;
using Lines = std::vector<std::string>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Status status() {
  Status s;
  s.name = "shakespeare";
  s.total_steps = 300;
  update(s, {50,
             {{"train/loss", 2.12341},
              {"train/learning_rate", 1e-3},
              {"train/grad_norm", 0.532},
              {"perf/tokens_per_second", 12345}}});
  s.seconds_left = 80.2;
  return s;
}

}  // namespace

TEST_CASE("console: durations are short at every length") {
  struct Row {
    double seconds;
    const char* text;
  };
  for (const Row& row :
       {Row{0, "0s"}, Row{-3, "0s"}, Row{59.4, "59s"}, Row{59.5, "1m00s"}, Row{80, "1m20s"},
        Row{3599, "59m59s"}, Row{3600, "1h00m"}, Row{11100, "3h05m"}, Row{86400, "1d00h"},
        Row{183600, "2d03h"}, Row{kNan, "?"}, Row{kInf, "?"}}) {
    CAPTURE(row.seconds);
    CHECK(duration_text(row.seconds) == row.text);
  }
}

TEST_CASE("console: counts have three digits and a unit") {
  struct Row {
    double count;
    const char* text;
  };
  for (const Row& row :
       {Row{0, "0"}, Row{999, "999"}, Row{999.6, "1.00k"}, Row{1000, "1.00k"}, Row{9999, "10.0k"},
        Row{12345, "12.3k"}, Row{123456, "123k"}, Row{999600, "1.00M"}, Row{1.5e9, "1.50B"},
        Row{2e12, "2.00T"}, Row{3e16, "30000T"}, Row{kNan, "nan"}}) {
    CAPTURE(row.count);
    CHECK(count_text(row.count) == row.text);
  }
}

TEST_CASE("console: values stay readable, whatever they are") {
  CHECK(value_text(2.12341, 4) == "2.1234");
  CHECK(value_text(0, 4) == "0.0000");
  CHECK(value_text(0.00001, 4) == "1.00e-05");
  CHECK(value_text(1234567, 2) == "1.23e+06");
  CHECK(value_text(-kInf, 4) == "-inf");
  CHECK(value_text(kInf, 4) == "inf");
  CHECK(value_text(-kNan, 4) == "nan");
  CHECK(rate_text(1e-3) == "1.0e-03");
  CHECK(rate_text(kNan) == "nan");
}

TEST_CASE("console: a plain line has what is known") {
  CHECK(plain_line(status()) ==
        "step 50/300  loss 2.1234  lr 1.0e-03  grad_norm 0.53  12.3k tokens/s  1m20s left");
  Status little;
  update(little, {7, {{"train/loss", kNan}, {"other/metric", 1}}});
  CHECK(plain_line(little) == "step 7  loss nan");
}

TEST_CASE("console: the progress line fills its width and never passes it") {
  const std::string wide = progress_line(status(), 100);
  CHECK(wide ==
        "shakespeare  [======>                             ]  50/300  loss 2.1234  12.3k tokens/s  "
        "1m20s left");
  CHECK(wide.size() == 100);
  for (std::size_t columns = 1; columns != 120; ++columns) {
    CAPTURE(columns);
    CHECK(progress_line(status(), columns).size() <= columns);
  }
  Status done = status();
  done.step = 300;
  CHECK(progress_line(done, 80).find("=]  300/300") != std::string::npos);
  done.name = "größe";
  CHECK(progress_line(done, 3) == "grö");
}

TEST_CASE("console: each evaluated set has a line of its own") {
  const StepRecord record{50,
                          {{"eval/held_out/loss", 2.12341},
                           {"train/loss", 1},
                           {"eval/wiki/loss", kInf},
                           {"eval/held_out/perplexity", 8.3599}}};
  CHECK(evaluation_lines(record) == Lines{"eval held_out  step 50  loss 2.1234  perplexity 8.36",
                                          "eval wiki  step 50  loss inf"});
  CHECK(has_training(record));
  CHECK_FALSE(has_training({50, {{"eval/held_out/loss", 1}}}));
  CHECK(evaluation_lines({50, {{"train/loss", 1}}}).empty());
}

TEST_CASE("console: the time left follows the pace since the first record") {
  TimeLeft left;
  CHECK_FALSE(left.after(10, 100, 1000).has_value());
  CHECK(left.after(20, 100, 1005).value() == doctest::Approx(40));
  CHECK(left.after(100, 100, 1100).value() == doctest::Approx(0));
  TimeLeft endless;
  endless.after(1, 0, 0);
  CHECK_FALSE(endless.after(2, 0, 1).has_value());
}
