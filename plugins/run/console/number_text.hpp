#pragma once

// Numbers for people.

#include <string>

namespace mortise::console {

// 42s, 1m20s, 3h05m, 2d03h; never negative.
std::string duration_text(double seconds);

// 999, 12.3k, 1.23M, 4.56B, 7.89T.
std::string count_text(double count);

// A loss or norm: `digits` decimals, or an exponent where that would show nothing or too much; nan,
// inf and -inf as such.
std::string value_text(double value, int digits);

// 1.0e-03
std::string rate_text(double rate);

}  // namespace mortise::console
