#include "ordered_sum.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>

namespace mortise_shared_memory {
namespace {

// Elements that stay in a core's cache while every part is added to them.
constexpr std::int64_t kBlock = 1 << 15;

void apply(at::Tensor into, const at::Tensor& part, mortise::ReduceOp operation) {
  switch (operation) {
    case mortise::ReduceOp::sum:
      into.add_(part);
      break;
    case mortise::ReduceOp::max:
      at::maximum_out(into, into, part);
      break;
    case mortise::ReduceOp::min:
      at::minimum_out(into, into, part);
      break;
  }
}

}  // namespace

void join(const at::Tensor& into, const mortise::TensorList& parts, mortise::ReduceOp operation,
          bool add_to) {
  const at::NoGradGuard no_grad;
  const at::Tensor flat = into.view({-1});
  for (std::int64_t first = 0; first < flat.numel(); first += kBlock) {
    const std::int64_t count = std::min(kBlock, flat.numel() - first);
    const at::Tensor block = flat.narrow(0, first, count);
    for (std::size_t r = 0; r != parts.size(); ++r) {
      const at::Tensor part = parts[r].narrow(0, first, count);
      if (r == 0 && !add_to)
        block.copy_(part);
      else
        apply(block, part, operation);
    }
  }
}

at::Tensor view_of(const char* memory, std::int64_t count, at::ScalarType type) {
  return at::from_blob(const_cast<char*>(memory), {count}, at::TensorOptions(type));
}

}  // namespace mortise_shared_memory
