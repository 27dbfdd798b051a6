#include "token_losses.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "../../model/cross_entropy/may_overwrite.hpp"
#include "../../model/cross_entropy/row_kernels.hpp"
#include "../../model/cross_entropy/target_rows.hpp"

namespace mortise_tp {
namespace {

using mortise::Communicator;
using mortise::TensorList;
using mortise::cross_entropy::for_each_row;
using mortise::cross_entropy::kNotCounted;
using torch::autograd::AutogradContext;

constexpr std::int64_t kRowsAtOnce = 1024;

bool has_kernels(const at::Tensor& logits) {
  return logits.is_cpu() && logits.scalar_type() == at::kFloat;
}

// Of each row of logits [N, size]: the largest, and the sum of exp(logit - largest); float64.
struct Statistics {
  at::Tensor largest, sum;
};

Statistics statistics_of(const at::Tensor& logits) {
  if (!has_kernels(logits)) {
    const at::Tensor wide = logits.to(at::kDouble), largest = wide.amax(1);
    return {largest, wide.sub(largest.unsqueeze(1)).exp_().sum(1)};
  }
  const auto doubles = logits.options().dtype(at::kDouble);
  const Statistics s{at::empty({logits.size(0)}, doubles), at::empty({logits.size(0)}, doubles)};
  const auto kernels = mortise::cross_entropy::row_kernels().front();
  const auto* data = logits.const_data_ptr<float>();
  auto *largest = s.largest.mutable_data_ptr<double>(), *sum = s.sum.mutable_data_ptr<double>();
  for_each_row(logits.size(0), logits.size(1), [&](std::int64_t i) {
    float most = 0;
    kernels.sum_exponentials(data + i * logits.size(1), logits.size(1), &most, sum + i);
    largest[i] = most;
  });
  return s;
}

// gradient = exp(logit - largest) * factor, row by row; it may be the logits themselves.
void scale_exponentials(const at::Tensor& logits, const at::Tensor& largest,
                        const at::Tensor& factor, const at::Tensor& gradient) {
  if (!has_kernels(logits)) {
    for (std::int64_t i = 0; i < logits.size(0); i += kRowsAtOnce) {
      const auto rows = [&](const at::Tensor& t) {
        return t.narrow(0, i, std::min(kRowsAtOnce, logits.size(0) - i));
      };
      const at::Tensor wide = rows(logits).to(at::kDouble).sub(rows(largest).unsqueeze(1));
      rows(gradient).copy_(wide.exp().mul(rows(factor).unsqueeze(1)));
    }
    return;
  }
  const auto kernels = mortise::cross_entropy::row_kernels().front();
  const auto* from = logits.const_data_ptr<float>();
  auto* to = gradient.mutable_data_ptr<float>();
  const auto *most = largest.const_data_ptr<double>(), *by = factor.const_data_ptr<double>();
  const std::int64_t size = logits.size(1);
  for_each_row(logits.size(0), logits.size(1), [&](std::int64_t i) {
    if (by[i] == 0) return void(std::fill(to + i * size, to + (i + 1) * size, 0.0f));
    kernels.scale_exponentials(from + i * size, size, float(most[i]), float(by[i]), to + i * size);
  });
}

struct TokenLosses : torch::autograd::Function<TokenLosses> {
  // logits [N, size], targets [N]
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& targets, Vocabulary vocabulary, Communicator* ranks) {
    const at::Tensor counted = targets.ne(kNotCounted), local = targets.sub(vocabulary.begin);
    const at::Tensor mine = local.ge(0).logical_and(local.lt(vocabulary.size));
    const at::Tensor column = local.masked_fill(mine.logical_not(), 0).unsqueeze(1);

    const Statistics own = statistics_of(logits);
    const at::Tensor largest = own.largest.clone();
    ranks->all_reduce(largest, mortise::ReduceOp::max)->wait();
    const at::Tensor sum = own.sum.mul(own.largest.sub(largest).exp());
    const at::Tensor target = logits.gather(1, column).squeeze(1).to(at::kDouble);
    const at::Tensor both = at::stack({sum, target.masked_fill(mine.logical_not(), 0)});
    ranks->all_reduce(both, mortise::ReduceOp::sum)->wait();

    context->save_for_backward({logits, largest, both[0], mine, column, counted});
    return both[0].log().add(largest).sub(both[1]).masked_fill(counted.logical_not(), 0);
  }

  // Reading the saved logits checks that nobody changed them; marking them as changed makes a
  // second backward pass, and whatever else saved them, fail instead of being wrong.
  static TensorList backward(AutogradContext* context, TensorList gradients) {
    const TensorList saved = context->get_saved_variables();
    const at::Tensor logits = saved[0].detach(), mine = saved[3], column = saved[4];
    const bool in_place = mortise::cross_entropy::may_overwrite(saved[0]);
    if (in_place) logits.unsafeGetTensorImpl()->bump_version();
    const at::Tensor gradient = in_place ? logits : at::empty_like(logits);
    const at::Tensor scale = gradients[0].masked_fill(saved[5].logical_not(), 0);
    scale_exponentials(logits, saved[1], scale.div(saved[2]), gradient);
    const at::Tensor of_target = scale.masked_fill(mine.logical_not(), 0).neg();
    gradient.scatter_add_(1, column, of_target.unsqueeze(1).to(gradient.scalar_type()));
    return {gradient, {}, {}, {}};
  }
};

}  // namespace

at::Tensor token_losses(const at::Tensor& logits, const at::Tensor& targets,
                        const Vocabulary& vocabulary, Communicator& ranks) {
  const at::Tensor rows = logits.flatten(0, -2).contiguous();
  const at::Tensor flat = targets.contiguous().flatten();
  if (flat.is_cpu())
    mortise::cross_entropy::check_targets(flat.const_data_ptr<std::int64_t>(), flat.numel(),
                                          vocabulary.whole);
  return TokenLosses::apply(rows, flat, vocabulary, &ranks).view_as(targets);
}

}  // namespace mortise_tp
