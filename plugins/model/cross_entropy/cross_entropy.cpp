// Loss: cross-entropy of the next token, summed over the targets that count. Float32 inside a row,
// float64 across rows; the same bits for any number of threads.
//
// The backward pass turns the logits' own memory into their gradient, so that training holds one
// [B, T, V] tensor and no second one.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mortise/model/loss.hpp>
#include <mortise/plugin.hpp>

#include "may_overwrite.hpp"
#include "token_sums.hpp"

namespace {

using namespace mortise;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SummedCrossEntropy : public torch::autograd::Function<SummedCrossEntropy> {
 public:
  // `losses`, if there, becomes the loss of each target.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& targets, at::Tensor* losses) {
    const cross_entropy::TokenSum result = cross_entropy::token_sum(logits, targets);
    if (losses != nullptr) *losses = result.losses;
    context->save_for_backward({logits, targets, result.statistics});
    return result.sum;
  }

  // Reading the saved logits checks that nobody changed them; marking them as changed makes a
  // second backward pass, and whatever else saved them, fail instead of being wrong.
  static variable_list backward(AutogradContext* context, variable_list scale) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor logits = saved[0].detach();
    const bool in_place = cross_entropy::may_overwrite(saved[0]);
    if (in_place) logits.unsafeGetTensorImpl()->bump_version();
    at::Tensor gradient = in_place ? logits : at::empty_like(logits);
    cross_entropy::token_gradient(logits, saved[1], saved[2], scale[0], gradient);
    return {gradient, at::Tensor(), at::Tensor()};
  }
};

class CrossEntropy final : public Loss {
 public:
  at::Tensor counts(const Batch& batch) const override {
    return batch["targets"].ne(cross_entropy::kNotCounted).sum();
  }

  void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden,
                 const Batch& batch) override {
    const at::Tensor targets = batch["targets"].contiguous();
    const at::Tensor answer = unit(head, {hidden, targets});
    const bool by_source = batch.has("sources");
    if (answer.sizes() == targets.sizes()) {  // of each target: the vocabulary is cut
      unit.term("cross_entropy", answer.sum(), Denominator::tokens, 1.0);
      if (by_source) record_sources(unit, batch["sources"], answer.detach(), targets);
      return;
    }
    const at::Tensor logits = answer.to(at::kFloat).contiguous();
    if (logits.dim() < 1 || logits.numel() != targets.numel() * logits.size(-1))
      throw ShapeError("logits and targets do not fit: " + shape(logits) + " and " +
                       shape(targets));
    at::Tensor losses;
    unit.term("cross_entropy", sum(logits, targets, by_source ? &losses : nullptr),
              Denominator::tokens, 1.0);
    if (by_source) record_sources(unit, batch["sources"], losses.view_as(targets), targets);
  }

 private:
  static at::Tensor sum(const at::Tensor& logits, const at::Tensor& targets, at::Tensor* losses) {
    if (at::GradMode::is_enabled() && logits.requires_grad())
      return SummedCrossEntropy::apply(logits, targets, losses);
    const cross_entropy::TokenSum result = cross_entropy::token_sum(logits, targets);
    if (losses != nullptr) *losses = result.losses;
    return result.sum;
  }
  // sources [B]; losses and targets [B, T].
  static void record_sources(UnitContext& unit, const at::Tensor& sources, const at::Tensor& losses,
                             const at::Tensor& targets) {
    const std::int64_t count = sources.max().item<std::int64_t>() + 1;
    const at::Tensor sums =
        at::zeros({2, count}, losses.options())
            .index_add_(1, sources,
                        at::stack({losses.sum(1),
                                   targets.ne(cross_entropy::kNotCounted).sum(1).to(at::kDouble)}));
    for (std::int64_t i = 0; i != count; ++i) {
      unit.record("loss_of_source/" + std::to_string(i), sums[0][i]);
      unit.record("tokens_of_source/" + std::to_string(i), sums[1][i]);
    }
  }
  static std::string shape(const at::Tensor& t) {
    std::string text;
    for (const std::int64_t size : t.sizes())
      text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "[" + text + "]";
  }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.cross_entropy", MORTISE_VERSION,
               component<CrossEntropy, Loss>("cross_entropy", "cross-entropy of the next token"));
