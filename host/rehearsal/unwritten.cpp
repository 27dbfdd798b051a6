#include "host/rehearsal/unwritten.hpp"

#include <torch/library.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mortise::host {
namespace {

// A key above all others that LibTorch leaves to others, for tensors that are made later.
constexpr c10::DispatchKey kKey = c10::DispatchKey::DeferredInit;
constexpr std::int64_t kLarge = 1 << 16;  // elements; what is smaller steers programs

constexpr std::array<std::string_view, 12> kWrites = {
    "aten::add_", "aten::addcdiv_", "aten::addcmul_", "aten::copy_",
    "aten::div_", "aten::fill_",    "aten::lerp_",    "aten::mul_",
    "aten::neg_", "aten::normal_",  "aten::sub_",     "aten::zero_"};

void leave(const c10::OperatorHandle& operation, c10::DispatchKeySet keys,
           torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = operation.schema();
  if (std::find(kWrites.begin(), kWrites.end(), schema.name()) != kWrites.end()) {
    const std::size_t count = schema.arguments().size();
    const at::Tensor self = (*stack)[stack->size() - count].toTensor();
    if (self.numel() >= kLarge) {
      torch::jit::drop(*stack, count);
      torch::jit::push(*stack, self);
      return;
    }
  }
  operation.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey),
                            stack);
}

TORCH_LIBRARY_IMPL(_, DeferredInit, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&leave>());
}

}  // namespace

Unwritten::Unwritten() : guard_(kKey) {}
Written::Written() : guard_(kKey) {}

}  // namespace mortise::host
