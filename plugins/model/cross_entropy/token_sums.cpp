#include "token_sums.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "chunked_token_sums.hpp"
#include "row_kernels.hpp"
#include "target_rows.hpp"

namespace mortise::cross_entropy {
namespace {

struct RowStatistics {
  double largest, sum, loss;
};

TokenSum cpu_sum(const at::Tensor& logits, const at::Tensor& targets) {
  const std::int64_t rows = targets.numel(), size = logits.size(-1);
  const auto* target = targets.const_data_ptr<std::int64_t>();
  const auto* data = logits.const_data_ptr<float>();
  check_targets(target, rows, size);
  const at::Tensor statistics = at::empty({rows, 3}, at::kDouble);
  auto* row = reinterpret_cast<RowStatistics*>(statistics.mutable_data_ptr<double>());
  const RowKernels kernels = row_kernels().front();
  for_each_row(rows, size, [&](std::int64_t i) {
    row[i] = {};
    if (target[i] == kNotCounted) return;
    float largest = 0;
    kernels.sum_exponentials(data + i * size, size, &largest, &row[i].sum);
    row[i].largest = largest;
    row[i].loss = std::log(row[i].sum) + row[i].largest - data[i * size + target[i]];
  });
  double total = 0;  // in the order of the rows, whoever computed them
  for (std::int64_t i = 0; i != rows; ++i) total += row[i].loss;
  const at::Tensor sum = at::empty({}, at::kDouble);
  *sum.mutable_data_ptr<double>() = total;
  return {sum, statistics, statistics.select(1, 2)};
}

void cpu_gradient(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& statistics,
                  double scale, at::Tensor& gradient) {
  const std::int64_t rows = targets.numel(), size = logits.size(-1);
  const auto* target = targets.const_data_ptr<std::int64_t>();
  const auto* data = logits.const_data_ptr<float>();
  const auto* row = reinterpret_cast<const RowStatistics*>(statistics.const_data_ptr<double>());
  auto* out = gradient.mutable_data_ptr<float>();
  const RowKernels kernels = row_kernels().front();
  for_each_row(rows, size, [&](std::int64_t i) {
    float* to = out + i * size;
    if (target[i] == kNotCounted) return void(std::fill(to, to + size, 0.0f));
    const double factor = scale / row[i].sum;
    kernels.scale_exponentials(data + i * size, size, float(row[i].largest), float(factor), to);
    to[target[i]] -= float(scale);
  });
}

}  // namespace

TokenSum token_sum(const at::Tensor& logits, const at::Tensor& targets) {
  return logits.is_cpu() ? cpu_sum(logits, targets) : chunked_token_sum(logits, targets);
}

void token_gradient(const at::Tensor& logits, const at::Tensor& targets,
                    const at::Tensor& statistics, const at::Tensor& scale, at::Tensor& gradient) {
  if (logits.is_cpu())
    cpu_gradient(logits, targets, statistics, scale.item<double>(), gradient);
  else
    chunked_token_gradient(logits, targets, statistics, scale, gradient);
}

}  // namespace mortise::cross_entropy
