#pragma once

// What a worker makes of a batch.

#include <cstdint>
#include <string>
#include <vector>

#include "record_fault.hpp"

namespace mortise::corpus {

struct PackedBatch {
  std::size_t source = 0;
  std::int64_t end_offset = 0, next_line = 1, raw_bytes = 0;  // as in the TextBatch
  bool ends_source = false;
  std::string tokens;                 // as they stand in the packed file
  std::vector<std::int64_t> lengths;  // of each document, in tokens
  std::int64_t largest = -1, text_bytes = 0, blank_lines = 0;
  std::vector<RecordFault> faults;
};

}  // namespace mortise::corpus
