#pragma once

// Sums and gathers over the ranks of axis tp that autograd goes through. In what follows x is of
// one rank, `ranks` has n of them.

#include <mortise/parallel/communicator.hpp>

namespace mortise_tp {

// Grad: none of these; the functions below have gradients.
at::Tensor gather_positions(const at::Tensor& x, mortise::Communicator& ranks);
at::Tensor scatter_positions(const at::Tensor& x, mortise::Communicator& ranks);

// x itself. Grad: summed.
at::Tensor with_summed_gradient(const at::Tensor& x, mortise::Communicator& ranks);
// The sum of all x. Grad: the same for all.
at::Tensor summed(const at::Tensor& x, mortise::Communicator& ranks);
// The positions of all ranks. Shapes: [B, T / n, …] -> [B, T, …]. Grad: summed, of the own ones.
at::Tensor with_all_positions(const at::Tensor& x, mortise::Communicator& ranks);
// The sum of all x, of the own positions. Shapes: [B, T, …] -> [B, T / n, …]. Grad: of all.
at::Tensor summed_to_positions(const at::Tensor& x, mortise::Communicator& ranks);
// The last dimension of all ranks; rank r has `columns[r]`. Grad: of the own columns, which is the
// same on all ranks.
at::Tensor with_all_columns(const at::Tensor& x, const std::vector<std::int64_t>& columns,
                            mortise::Communicator& ranks);

}  // namespace mortise_tp
