#pragma once

// Where the records of a JSONL file lie.

#include <cstdint>
#include <vector>

#include "../pbin/pickle_index.hpp"
#include "text_batch.hpp"

namespace mortise::corpus {

struct LineIndex {
  std::vector<pbin::IndexEntry> records;  // bytes of the file, without the end of the line
  std::int64_t blank_lines = 0;
  std::int64_t raw_bytes = 0, end_offset = 0;  // as in the batch
};

LineIndex line_index(const TextBatch& batch);

}  // namespace mortise::corpus
