#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mortise::host {

// "step_00000200"
std::string step_name(std::int64_t step);
// The step of a folder of that name; empty for any other.
std::optional<std::int64_t> step_of(std::string_view name);
// The name that a checkpoint has while it is written or removed: "step_00000200.partial".
std::string partial_name(std::int64_t step);
// Whether a folder of this name is what a save or a removal that was cut short left behind.
bool is_leftover(std::string_view name);
// A whole number of at least 0 in plain digits; empty for any other text.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace mortise::host
