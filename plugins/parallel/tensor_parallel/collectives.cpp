#include "collectives.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

namespace mortise_tp {
namespace {

using mortise::Communicator;
using mortise::TensorList;
using torch::autograd::AutogradContext;
using torch::autograd::Function;

void remember(AutogradContext* context, Communicator* ranks) {
  context->saved_data["ranks"] = reinterpret_cast<std::int64_t>(ranks);
}
Communicator& ranks_of(AutogradContext* context) {
  return *reinterpret_cast<Communicator*>(context->saved_data["ranks"].toInt());
}

// What sums are taken in: communicators add float32 and float64.
at::ScalarType wide(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor sum_of(const at::Tensor& x, Communicator& ranks) {
  const at::Tensor sum = x.to(wide(x), false, true, at::MemoryFormat::Contiguous);
  ranks.all_reduce(sum, mortise::ReduceOp::sum)->wait();
  return sum.to(x.scalar_type());
}

// [B, n T, …] <-> [n, B, T, …]
std::vector<std::int64_t> split_sizes(const at::Tensor& x, std::int64_t n) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes[1] /= n;
  sizes.insert(sizes.begin() + 1, n);
  return sizes;
}

struct SummedGradient : Function<SummedGradient> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, Communicator* ranks) {
    remember(context, ranks);
    return x.view_as(x);
  }
  static TensorList backward(AutogradContext* context, TensorList gradients) {
    return {sum_of(gradients[0], ranks_of(context)), {}};
  }
};

struct Summed : Function<Summed> {
  static at::Tensor forward(AutogradContext*, const at::Tensor& x, Communicator* ranks) {
    return sum_of(x, *ranks);
  }
  static TensorList backward(AutogradContext*, TensorList gradients) { return {gradients[0], {}}; }
};

struct AllPositions : Function<AllPositions> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, Communicator* ranks) {
    remember(context, ranks);
    return gather_positions(x, *ranks);
  }
  static TensorList backward(AutogradContext* context, TensorList gradients) {
    return {scatter_positions(gradients[0], ranks_of(context)), {}};
  }
};

struct SummedToPositions : Function<SummedToPositions> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, Communicator* ranks) {
    remember(context, ranks);
    return scatter_positions(x, *ranks);
  }
  static TensorList backward(AutogradContext* context, TensorList gradients) {
    return {gather_positions(gradients[0], ranks_of(context)), {}};
  }
};

// Ranks may have columns less by one than others: all send as many as the largest has.
at::Tensor gather_columns(const at::Tensor& x, const std::vector<std::int64_t>& columns,
                          Communicator& ranks) {
  const std::int64_t rows = x.numel() / x.size(-1),
                     most = *std::max_element(columns.begin(), columns.end());
  at::Tensor mine = x.reshape({rows, x.size(-1)});
  if (mine.size(1) != most)
    mine = at::cat({mine, at::zeros({rows, most - mine.size(1)}, x.options())}, 1);
  const at::Tensor all = at::empty({ranks.size(), rows, most}, x.options());
  ranks.all_gather(all.view({-1}), mine.contiguous().view({-1}))->wait();
  TensorList parts;
  for (std::size_t r = 0; r != columns.size(); ++r)
    parts.push_back(all[std::int64_t(r)].narrow(1, 0, columns[r]));
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = -1;
  return at::cat(parts, 1).view(sizes);
}

struct AllColumns : Function<AllColumns> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            std::vector<std::int64_t> columns, Communicator* ranks) {
    std::int64_t begin = 0;
    for (std::int64_t r = 0; r != ranks->rank(); ++r) begin += columns[std::size_t(r)];
    context->saved_data["begin"] = begin;
    context->saved_data["size"] = x.size(-1);
    return gather_columns(x, columns, *ranks);
  }
  static TensorList backward(AutogradContext* context, TensorList gradients) {
    return {gradients[0].narrow(-1, context->saved_data["begin"].toInt(),
                                context->saved_data["size"].toInt()),
            {},
            {}};
  }
};

}  // namespace

at::Tensor gather_positions(const at::Tensor& x, Communicator& ranks) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.insert(sizes.begin(), ranks.size());
  const at::Tensor all = at::empty(sizes, x.options());
  ranks.all_gather(all.view({-1}), x.contiguous().view({-1}))->wait();
  return all.transpose(0, 1).flatten(1, 2);
}

// Where the communicator has no reduction of its own, sums in rank order are as fast.
at::Tensor scatter_positions(const at::Tensor& x, Communicator& ranks) {
  const at::Tensor packed =
      x.reshape(split_sizes(x, ranks.size())).transpose(0, 1).to(wide(x)).contiguous();
  const at::Tensor mine = at::zeros(packed.sizes().slice(1), packed.options());
  const at::Tensor flat = mine.view({-1});
  if (ranks.supports("native_reduce_scatter"))
    ranks.reduce_scatter(flat, packed.view({-1}))->wait();
  else
    ranks.reduce_scatter_ordered(flat, packed.view({-1}))->wait();
  return mine.to(x.scalar_type());
}

at::Tensor with_summed_gradient(const at::Tensor& x, Communicator& ranks) {
  return SummedGradient::apply(x, &ranks);
}
at::Tensor summed(const at::Tensor& x, Communicator& ranks) { return Summed::apply(x, &ranks); }
at::Tensor with_all_positions(const at::Tensor& x, Communicator& ranks) {
  return AllPositions::apply(x, &ranks);
}
at::Tensor summed_to_positions(const at::Tensor& x, Communicator& ranks) {
  return SummedToPositions::apply(x, &ranks);
}
at::Tensor with_all_columns(const at::Tensor& x, const std::vector<std::int64_t>& columns,
                            Communicator& ranks) {
  return AllColumns::apply(x, columns, &ranks);
}

}  // namespace mortise_tp
