#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <mortise/kit/torch.hpp>
#include <optional>

namespace mortise::host {

// The box that covers a tensor of this shape.
Box whole_box(const Shape& shape);

// Whether a box lies within a tensor of this shape; an empty one may lie at its end.
bool lies_within(const Box& box, const Shape& shape);

// What two boxes of one tensor have in common; empty when that is no element.
std::optional<Box> intersection(const Box& a, const Box& b);

// The elements of a box in memory: contiguous, in row order, from `data` on.
template <class Byte>
struct BoxElements {
  const Box& box;
  Byte* data;
};

// Copies the elements of `part` between two boxes that both contain it. `element_bytes`: size of
// one element. The two do not overlap in memory.
void copy_part(const Box& part, BoxElements<const std::byte> from, BoxElements<std::byte> to,
               std::size_t element_bytes);

// Copies what two boxes have in common; returns how many elements. Shapes: both tensors are 1-d,
// contiguous, on the CPU, of one type, and their first elements are those of their box.
std::int64_t copy_common(const Box& from_box, const at::Tensor& from, const Box& to_box,
                         at::Tensor& to);

}  // namespace mortise::host
