#pragma once

#include <ATen/core/Tensor.h>

#include <mortise/kit/torch.hpp>
#include <string>

namespace mortise::host {

// What one rank holds of a tensor that is saved.
//
// Shapes: `shape` is that of the whole tensor; the first box.count() elements of the 1-d `values`
//         are the box in row order, padding after them is not saved. The box may be empty.
// Types:  any that safetensors knows; `values` is contiguous and on the CPU.
struct SavedTensor {
  std::string name;
  Shape shape;
  Box box;
  at::Tensor values;
};

// Two files for each rank: `weights` stand alone for other programs, `optimizer` holds its slots
// and the states of components that have any.
enum class SavedGroup { weights, optimizer };

inline const char* name_of(SavedGroup group) {
  return group == SavedGroup::weights ? "weights" : "optimizer";
}

}  // namespace mortise::host
