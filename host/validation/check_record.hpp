#pragma once

#include <string>
#include <string_view>

namespace mortise::host {

// How a check's process tells what it does: one line for each word, written at once, so that the
// last one stands there when the process crashes.
//   at TEXT      what it does now
//   fail TEXT    what does not hold
//   skip TEXT    why it did nothing
//   count N      how many expectations it has looked at
//   done         it has come to its end
namespace record {
inline constexpr std::string_view at = "at ", fail = "fail ", skip = "skip ", count = "count ",
                                  done = "done";
}  // namespace record

}  // namespace mortise::host
