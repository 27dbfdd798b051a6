#pragma once

#include <mortise/parallel/communicator.hpp>

namespace mortise_tp {

// Which ids a rank has the logits of.
struct Vocabulary {
  std::int64_t whole = 0, begin = 0, size = 0;
};

// Cross-entropy of each target over a vocabulary that the ranks share: one all-reduce for the
// largest logits, one for the sums of exponentials and the targets' logits. Training holds one
// tensor of this rank's logits and no second one: the backward pass turns it into the gradient.
//
// Shapes: logits [.., size], targets [..] -> [..]; 0 where a target is not counted (-100).
// Types:  any floating, int64 -> float64.
// Errors: DataError for a target that is no id (on the CPU).
// Ranks:  collective. The results are equal on all.
// Grad:   of this rank's logits.
at::Tensor token_losses(const at::Tensor& logits, const at::Tensor& targets,
                        const Vocabulary& vocabulary, mortise::Communicator& ranks);

}  // namespace mortise_tp
