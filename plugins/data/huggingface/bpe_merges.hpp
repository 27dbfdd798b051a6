#pragma once

#include <vector>

#include "../bpe/pair_table.hpp"
#include "json.hpp"
#include "vocabulary.hpp"

namespace mortise::huggingface {

// The merges of a BPE model, each written as "left right" or as ["left", "right"], first ones
// first. Errors: DataError with the place of a merge whose parts or result are no tokens; for none
// at all.
std::vector<bpe::Merge> merges_of(const Json& merges, const Vocabulary& vocabulary);

}  // namespace mortise::huggingface
