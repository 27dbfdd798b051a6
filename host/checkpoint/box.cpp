#include "host/checkpoint/box.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace mortise::host {
namespace {

using Sizes = std::vector<std::int64_t>;

// How many elements lie between neighbours of each dimension of a box.
Sizes strides_of(const Box& box) {
  Sizes strides(box.size.size(), 1);
  for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * box.size[d];
  return strides;
}

std::int64_t position_of(const Shape& offset, const Box& box, const Sizes& strides) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d != strides.size(); ++d)
    position += (offset[d] - box.offset[d]) * strides[d];
  return position;
}

// The first of the trailing dimensions over which a part is contiguous in both boxes.
std::size_t first_contiguous(const Box& part, const Box& from, const Box& to) {
  std::size_t first = part.size.size();
  while (first > 0) {
    --first;
    if (part.size[first] != from.size[first] || part.size[first] != to.size[first]) break;
  }
  return first;
}

void require_elements(const Box& box, const at::Tensor& values) {
  TORCH_CHECK(values.dim() == 1 && values.is_contiguous() && values.is_cpu(),
              "the elements of a box are a contiguous 1-d tensor on the CPU, got ", values.dim(),
              " dimensions on ", values.device());
  TORCH_CHECK(values.numel() >= box.count(), "tensor is shorter than its box: has ", values.numel(),
              " elements, expected at least ", box.count());
}

}  // namespace

Box whole_box(const Shape& shape) { return {Shape(shape.size(), 0), shape}; }

bool lies_within(const Box& box, const Shape& shape) {
  if (box.offset.size() != shape.size() || box.size.size() != shape.size()) return false;
  for (std::size_t d = 0; d != shape.size(); ++d) {
    if (box.offset[d] < 0 || box.size[d] < 0) return false;
    if (box.offset[d] > shape[d] || box.size[d] > shape[d] - box.offset[d]) return false;
  }
  return true;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
  TORCH_CHECK(a.size.size() == b.size.size(), "boxes of one tensor have as many dimensions, got ",
              a.size.size(), " and ", b.size.size());
  Box common = a;
  for (std::size_t d = 0; d != a.size.size(); ++d) {
    const std::int64_t begin = std::max(a.offset[d], b.offset[d]);
    const std::int64_t end = std::min(a.offset[d] + a.size[d], b.offset[d] + b.size[d]);
    if (begin >= end) return std::nullopt;
    common.offset[d] = begin;
    common.size[d] = end - begin;
  }
  return common;
}

void copy_part(const Box& part, BoxElements<const std::byte> from, BoxElements<std::byte> to,
               std::size_t element_bytes) {
  if (part.count() == 0) return;
  const Sizes from_strides = strides_of(from.box), to_strides = strides_of(to.box);
  const std::size_t outer = first_contiguous(part, from.box, to.box);
  std::int64_t run = 1;
  for (std::size_t d = outer; d != part.size.size(); ++d) run *= part.size[d];

  Shape at = part.offset;
  for (;;) {
    const auto source = std::size_t(position_of(at, from.box, from_strides));
    const auto target = std::size_t(position_of(at, to.box, to_strides));
    std::memcpy(to.data + target * element_bytes, from.data + source * element_bytes,
                std::size_t(run) * element_bytes);
    std::size_t d = outer;
    while (d > 0 && ++at[d - 1] == part.offset[d - 1] + part.size[d - 1]) {
      at[d - 1] = part.offset[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

std::int64_t copy_common(const Box& from_box, const at::Tensor& from, const Box& to_box,
                         at::Tensor& to) {
  require_elements(from_box, from);
  require_elements(to_box, to);
  TORCH_CHECK(from.scalar_type() == to.scalar_type(), "boxes of one tensor have one type");
  const auto common = intersection(from_box, to_box);
  if (!common) return 0;
  copy_part(*common, {from_box, static_cast<const std::byte*>(from.const_data_ptr())},
            {to_box, static_cast<std::byte*>(to.mutable_data_ptr())}, from.element_size());
  return common->count();
}

}  // namespace mortise::host
