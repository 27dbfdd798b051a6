#pragma once

// What every way of computing a loss does with rows and their targets.

#include <ATen/Parallel.h>

#include <mortise/error.hpp>
#include <string>

#include "token_sums.hpp"

namespace mortise::cross_entropy {

// Calls f(row) for each row of `size` logits, on as many threads as that is worth.
template <class F>
void for_each_row(std::int64_t rows, std::int64_t size, const F& f) {
  constexpr std::int64_t kElementsForThread = 32768;
  at::parallel_for(0, rows, kElementsForThread / size + 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i != end; ++i) f(i);
                   });
}

// Errors: DataError for a target that is no id.
inline void check_targets(const std::int64_t* targets, std::int64_t rows, std::int64_t vocabulary) {
  for (std::int64_t i = 0; i != rows; ++i)
    if (targets[i] != kNotCounted && (targets[i] < 0 || targets[i] >= vocabulary))
      throw DataError("a target is no id of the model: " + std::to_string(targets[i]) +
                      ", with a vocabulary of " + std::to_string(vocabulary));
}

}  // namespace mortise::cross_entropy
