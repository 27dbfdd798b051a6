#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/config/setting.hpp"

namespace mortise::host {

// The value of a plain scalar, or what is wrong with it.
template <typename T>
struct Reading {
  std::optional<T> value;
  std::string problem;  // "is not an integer"; follows the quoted text
};

// true | false, nothing else: `yes`, `off`, `True` and `1` are not bools.
Reading<bool> read_bool(std::string_view text);

// 1000, +5, -3, 1_000, and 1e3 or 1.5e3 where they are exact. No octal, no leading zeros.
Reading<std::int64_t> read_integer(std::string_view text);

// Every usual form: 5, .5, 1., 1e-4, 1E-4, 1.e-4, +1e3, 1_000.5. Finite and not rounded to zero.
Reading<double> read_number(std::string_view text);

// A count: an integer, or a decimal with k M B T (thousands) or Ki Mi Gi Ti (1024) that is exact.
Reading<std::int64_t> read_count(std::string_view text);

// Bytes: an integer, or a decimal with B kB MB GB TB or KiB MiB GiB TiB that is exact.
Reading<std::int64_t> read_bytes(std::string_view text);

// Seconds: parts of decreasing unit d h m s ms, as in 30s, 1h30m, 1.5h.
Reading<double> read_duration(std::string_view text);

// 300, 300 steps, 2%, 1B tokens, 3 epochs, 1h.
Reading<Amount> read_amount(std::string_view text);

// The shortest text that reads back as the same number.
std::string write_number(double value);
std::string write_amount(const Amount& amount);

}  // namespace mortise::host
