#include "host/config/checking/scalar.hpp"

#include <doctest/doctest.h>

using namespace mortise::host;

TEST_CASE("scalars: every usual form of a number is the same number") {
  struct Row {
    const char* text;
    double value;
  };
  for (const Row& row :
       {Row{"1e-4", 0.0001}, Row{"1E-4", 0.0001}, Row{"1.e-4", 0.0001}, Row{".5", 0.5},
        Row{"+1e3", 1000}, Row{"5", 5}, Row{"-2.5", -2.5}, Row{"1_000.5", 1000.5}, Row{"0.1", 0.1},
        Row{"5e-324", 5e-324}, Row{"007.5", 7.5}, Row{"1e+2", 100}, Row{"0", 0}}) {
    CAPTURE(row.text);
    const auto reading = read_number(row.text);
    REQUIRE(reading.value.has_value());
    CHECK(*reading.value == row.value);
  }
}

TEST_CASE("scalars: what is no finite number is refused with its reason") {
  struct Row {
    const char* text;
    const char* problem;
  };
  for (const Row& row :
       {Row{".nan", "is not a finite number"}, Row{".inf", "is not a finite number"},
        Row{"-.inf", "is not a finite number"}, Row{"1e400", "is too large for a number"},
        Row{"1e-400", "is too close to zero for a number"}, Row{"3e-4x", "is not a number"},
        Row{"1e", "is not a number"}, Row{".", "is not a number"}, Row{"", "is not a number"},
        Row{"1__0", "is not a number"}, Row{"_1", "is not a number"}, Row{"1_", "is not a number"},
        Row{"0x10", "is not a number"}, Row{"1,5", "is not a number"},
        Row{"--1", "is not a number"}, Row{"1e5e5", "is not a number"}}) {
    CAPTURE(row.text);
    const auto reading = read_number(row.text);
    CHECK_FALSE(reading.value.has_value());
    CHECK(reading.problem == row.problem);
  }
}

TEST_CASE("scalars: integers are exact, decimal and in range") {
  struct Row {
    const char* text;
    std::int64_t value;
  };
  for (const Row& row :
       {Row{"1000", 1000}, Row{"1_000", 1000}, Row{"1e3", 1000}, Row{"1.5e3", 1500}, Row{"+5", 5},
        Row{"-3", -3}, Row{"0", 0}, Row{"9223372036854775807", INT64_MAX},
        Row{"-9223372036854775808", INT64_MIN}, Row{"5000000000", 5000000000}, Row{"10e-1", 1}}) {
    CAPTURE(row.text);
    const auto reading = read_integer(row.text);
    REQUIRE(reading.value.has_value());
    CHECK(*reading.value == row.value);
  }
  for (const char* text :
       {"2.7", "1.0", "0010", "0x10", "1e-3", "9223372036854775808", "-9223372036854775809",
        "1e99999999999", "3e-4x", ".nan", "1e400", "", "true", "1 0"}) {
    CAPTURE(text);
    CHECK_FALSE(read_integer(text).value.has_value());
    CHECK_FALSE(read_integer(text).problem.empty());
  }
}

TEST_CASE("scalars: counts and sizes take their units") {
  struct Row {
    const char* text;
    std::int64_t value;
  };
  for (const Row& row :
       {Row{"1k", 1'000}, Row{"2M", 2'000'000}, Row{"20B", 20'000'000'000},
        Row{"1.5B", 1'500'000'000}, Row{"1Ki", 1024}, Row{"1Mi", 1 << 20}, Row{"2Gi", 2LL << 30},
        Row{"1.5Ki", 1536}, Row{"7", 7}, Row{"1e3", 1000}, Row{"1T", 1'000'000'000'000}}) {
    CAPTURE(row.text);
    CHECK(read_count(row.text).value == row.value);
  }
  for (const Row& row : {Row{"16 MiB", 16 << 20}, Row{"16MiB", 16 << 20}, Row{"5 kB", 5000},
                         Row{"3GB", 3'000'000'000}, Row{"12", 12}, Row{"7 B", 7}}) {
    CAPTURE(row.text);
    CHECK(read_bytes(row.text).value == row.value);
  }
  for (const char* text : {"1.5", "1.0001k", "1G", "k", "1 kk", "9e18k", "1Mb"}) {
    CAPTURE(text);
    CHECK_FALSE(read_count(text).value.has_value());
  }
  CHECK_FALSE(read_bytes("16 Mi").value.has_value());
  CHECK_FALSE(read_bytes("16 M").value.has_value());
}

TEST_CASE("scalars: durations are seconds") {
  struct Row {
    const char* text;
    double value;
  };
  for (const Row& row :
       {Row{"30s", 30}, Row{"5m", 300}, Row{"23h30m", 84'600}, Row{"1.5h", 5'400},
        Row{"1d", 86'400}, Row{"250ms", 0.25}, Row{"1h1m1s", 3'661}, Row{"0s", 0}}) {
    CAPTURE(row.text);
    REQUIRE(read_duration(row.text).value.has_value());
    CHECK(*read_duration(row.text).value == row.value);
  }
  for (const char* text : {"30", "", "5min", "30m1h", "1h1h", "-5s", "s", "1h30", "5M", "1 h"}) {
    CAPTURE(text);
    CHECK_FALSE(read_duration(text).value.has_value());
  }
}

TEST_CASE(
    "scalars: amounts carry their unit, a bare integer is steps, and are written as they are "
    "read") {
  struct Row {
    const char* text;
    double value;
    Amount::Unit unit;
  };
  using Unit = Amount::Unit;
  for (const Row& row : {Row{"300", 300, Unit::steps}, Row{"1k", 1000, Unit::steps},
                         Row{"5 steps", 5, Unit::steps}, Row{"2%", 2, Unit::percent},
                         Row{"0.5%", 0.5, Unit::percent}, Row{"1B tokens", 1e9, Unit::tokens},
                         Row{"3 epochs", 3, Unit::epochs}, Row{"1 epoch", 1, Unit::epochs},
                         Row{"0.5 epochs", 0.5, Unit::epochs}, Row{"1h", 3600, Unit::seconds},
                         Row{"5m", 300, Unit::seconds}, Row{"5M", 5e6, Unit::steps}}) {
    CAPTURE(row.text);
    const auto reading = read_amount(row.text);
    REQUIRE(reading.value.has_value());
    CHECK(*reading.value == Amount{row.value, row.unit});
    CHECK(*read_amount(write_amount(*reading.value)).value == *reading.value);
  }
  for (const char* text :
       {"101%", "-1", "-5%", "2 %%", "tokens", "1.5", "1.5 steps", "3 apples", "", "%"}) {
    CAPTURE(text);
    CHECK_FALSE(read_amount(text).value.has_value());
  }
}

TEST_CASE("scalars: bool is true or false and nothing else") {
  CHECK(read_bool("true").value == true);
  CHECK(read_bool("false").value == false);
  for (const char* text :
       {"True", "TRUE", "yes", "no", "on", "off", "y", "n", "1", "0", "", "tRuE"}) {
    CAPTURE(text);
    CHECK_FALSE(read_bool(text).value.has_value());
  }
}
