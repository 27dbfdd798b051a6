#include "chunked_token_sums.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/logsumexp.h>

#include <algorithm>

namespace mortise::cross_entropy {
namespace {

constexpr std::int64_t kRowsAtOnce = 1024;  // bounds the temporary memory

at::Tensor as_rows(const at::Tensor& t, const at::Tensor& targets) {
  return t.view({targets.numel(), t.size(-1)});
}

}  // namespace

TokenSum chunked_token_sum(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor rows = as_rows(logits, targets), target = targets.flatten();
  const at::Tensor statistics = at::empty({rows.size(0), 1}, logits.options());
  const at::Tensor losses = at::empty({rows.size(0)}, logits.options().dtype(at::kDouble));
  for (std::int64_t i = 0; i < rows.size(0); i += kRowsAtOnce) {
    const std::int64_t n = std::min(kRowsAtOnce, rows.size(0) - i);
    const at::Tensor chunk = rows.narrow(0, i, n), id = target.narrow(0, i, n).unsqueeze(1);
    const at::Tensor normaliser = at::logsumexp(chunk, 1, true);
    const at::Tensor loss = normaliser.sub(chunk.gather(1, id.clamp_min(0)));
    statistics.narrow(0, i, n).copy_(normaliser);
    losses.narrow(0, i, n).copy_(loss.masked_fill(id.eq(kNotCounted), 0).squeeze(1));
  }
  return {losses.sum(), statistics, losses};
}

void chunked_token_gradient(const at::Tensor& logits, const at::Tensor& targets,
                            const at::Tensor& statistics, const at::Tensor& scale,
                            at::Tensor& gradient) {
  const at::Tensor rows = as_rows(logits, targets), target = targets.flatten();
  const at::Tensor out = as_rows(gradient, targets), factor = scale.to(logits.scalar_type());
  for (std::int64_t i = 0; i < rows.size(0); i += kRowsAtOnce) {
    const std::int64_t n = std::min(kRowsAtOnce, rows.size(0) - i);
    const at::Tensor chunk = out.narrow(0, i, n), id = target.narrow(0, i, n).unsqueeze(1);
    const at::Tensor counted = id.ne(kNotCounted);
    if (!gradient.is_same(logits)) chunk.copy_(rows.narrow(0, i, n));
    chunk.sub_(statistics.narrow(0, i, n)).exp_();
    chunk.scatter_add_(1, id.clamp_min(0), counted.to(chunk.scalar_type()).neg());
    chunk.mul_(factor).masked_fill_(counted.logical_not(), 0);
  }
}

}  // namespace mortise::cross_entropy
