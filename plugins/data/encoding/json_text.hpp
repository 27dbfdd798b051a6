#pragma once

// Writes JSON that strict readers accept.

#include <string>
#include <string_view>

namespace mortise::encoding {

// `text` in quotes; bytes that are not UTF-8 become replacement characters.
std::string json_string(std::string_view text);

// The shortest text that reads back as `value`; `null` for what JSON cannot say: infinities and
// NaN.
std::string json_number(double value);

}  // namespace mortise::encoding
