#pragma once

// What to do with a record that has no text.

#include <cstdint>
#include <string>

namespace mortise::corpus {

enum class OnError {
  fail,     // end with the first one
  skip,     // leave it out
  replace,  // U+FFFD for what is no Unicode; an empty document where there is no text at all
};

struct RecordFault {
  std::int64_t line = 0;
  std::string reason;
  bool replaced = false;
};

// One line of the report: {"file": …, "line": …, "reason": …, "action": …}.
std::string report_line(const std::string& file, const RecordFault& fault);

}  // namespace mortise::corpus
