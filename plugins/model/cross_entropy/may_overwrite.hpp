#pragma once

#include <torch/csrc/autograd/function.h>

#include <string>

namespace mortise::cross_entropy {

// Whether nobody reads the logits after a loss: they come from an operation whose own backward pass
// does not need its result. A leaf is what the previous unit gave; a softcap keeps its result.
inline bool may_overwrite(const at::Tensor& logits) {
  const at::TensorBase& owner = logits.is_view() ? logits._base() : logits;
  if (!owner.grad_fn()) return false;
  const std::string name = owner.grad_fn()->name();
  for (const char* safe : {"UnsafeView", "Mm", "Addmm", "Add", "Mul", "ToCopy", "Clone"})
    if (name == std::string(safe) + "Backward0") return true;
  return name.find("Linear") != std::string::npos;
}

}  // namespace mortise::cross_entropy
