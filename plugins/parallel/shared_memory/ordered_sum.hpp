#pragma once

#include <mortise/parallel/communicator.hpp>

namespace mortise_shared_memory {

// Joins `parts`, flat and of `into`'s size and type, to `into`, one after the other. `add_to`:
// beginning with what stands in `into`, else with the first part. No part overlaps `into`.
void join(const at::Tensor& into, const mortise::TensorList& parts, mortise::ReduceOp operation,
          bool add_to);

// A flat tensor on memory that outlives it.
at::Tensor view_of(const char* memory, std::int64_t count, at::ScalarType type);

}  // namespace mortise_shared_memory
