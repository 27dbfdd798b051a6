// Tensor parallelism (Shoeybi et al. 2019): ranks of axis `tp` have the same micro-batches, and
// each computes a part of every layer that the model's placements cut: heads, hidden features, ids
// of the vocabulary. With `sequence` (Korthikanti et al. 2022) each has a part of the positions
// between these layers.

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/ones.h>

#include <mortise/model/layer_op.hpp>
#include <mortise/parallel/cutter.hpp>
#include <mortise/plugin.hpp>

#include "collectives.hpp"
#include "shares.hpp"
#include "token_losses.hpp"

namespace {

using namespace mortise;
using namespace mortise_tp;

enum class Op { linear, embedding, layout, dropout, other };

Op op_of(const Layer& layer) {
  const auto& attributes = layer.attributes.entries();
  if (layer.op == "mortise.op/dropout/1" && attributes.size() == 1 &&
      attributes[0].key == "probability")
    return Op::dropout;
  if (!attributes.empty()) return Op::other;
  if (layer.op == "mortise.op/linear/1") return Op::linear;
  if (layer.op == "mortise.op/embedding/1") return Op::embedding;
  return layer.op == "mortise.op/layout/1" ? Op::layout : Op::other;
}

class TensorParallel final : public Cutter, public LayerOp {
 public:
  struct Config {
    bool sequence = false;
    std::int64_t sequence_length = 0;
    static constexpr auto settings() {
      return fields(
          field("sequence", &Config::sequence)
              .doc("between cut layers each rank has a part of the positions: norms, dropout and "
                   "residuals are not repeated, and activations take less memory")
              .known_as("sequence_parallel"),
          field("sequence_length", &Config::sequence_length)
              .at_least(1)
              .defaults_to("batch.sequence_length")
              .doc("positions of a sequence in training; with sequence: true the ranks divide it"));
    }
  };

  TensorParallel(const Config& config, Context& context)
      : config_(config), ranks_(context.service<Mesh>().communicator("tp")) {}

  std::optional<Link> bind(LayerId id, const Layer& layer,
                           const std::vector<ParameterInfo>&) override {
    const Op op = op_of(layer);
    const bool taken = op != Op::other && (op != Op::dropout || config_.sequence);
    layers_[id] = {layer, taken};
    ops_[id] = op;
    return taken ? std::optional(Link{}) : std::nullopt;
  }

  void plan(PlanBuilder& plan) override {
    plan.spread("tp", Spread::features);
    const std::int64_t size = ranks_->size();
    if (size == 1) return;
    if (config_.sequence && config_.sequence_length % size != 0)
      throw ConfigError("mesh: tp: " + std::to_string(size) +
                        " ranks do not divide the sequence of " +
                        std::to_string(config_.sequence_length) +
                        " tokens: change batch.sequence_length, or write sequence: false");
    shares_ = deal_out(layers_, {size, ranks_->rank(), config_.sequence}, plan);
  }

  TensorList apply(LayerId id, Tensors in, Tensors weights, Tensors, OpCall& next) override {
    if (ranks_->size() == 1) return next.next(in, weights);
    const Phase phase = next.visit().phase;
    // Texts of any length are evaluated and written.
    cuts_positions_ = config_.sequence && (phase == Phase::forward || phase == Phase::recompute);
    switch (ops_.at(id)) {
      case Op::layout:
        return {enter(in[0])};
      case Op::dropout:
        return cuts_positions_ ? TensorList{dropped(in[0], layers_.at(id).layer)}
                               : next.next(in, weights);
      case Op::embedding:
        return {embed(shares_.at(id), in[0], weights, next)};
      default:
        return {linear(id, in, weights, next)};
    }
  }

 private:
  // Into cut layers.
  at::Tensor enter(const at::Tensor& x) {
    const at::Tensor y =
        cuts_positions_ ? with_all_positions(x, *ranks_) : with_summed_gradient(x, *ranks_);
    entered_ = c10::weak_intrusive_ptr<at::TensorImpl>(y.getIntrusivePtr());
    return y;
  }
  // Out of them: each rank has a summand.
  at::Tensor leave(const at::Tensor& x) {
    return cuts_positions_ ? summed_to_positions(x, *ranks_) : summed(x, *ranks_);
  }
  // Of a tensor [B, T, …] that all ranks have: the positions of this one.
  at::Tensor own_positions(const at::Tensor& x) const {
    const std::int64_t part = x.size(1) / ranks_->size();
    return x.narrow(1, ranks_->rank() * part, part);
  }

  // The mask of the whole sequence is drawn everywhere, so that it does not depend on the ranks.
  at::Tensor dropped(const at::Tensor& x, const Layer& layer) const {
    std::vector<std::int64_t> whole = x.sizes().vec();
    whole[1] *= ranks_->size();
    const at::Tensor mask = at::dropout(at::ones(whole, x.options()),
                                        layer.attributes.get<double>("probability"), true);
    return x * own_positions(mask);
  }

  at::Tensor embed(const Share& share, const at::Tensor& ids, Tensors weights, OpCall& next) {
    if (share.placement != Placement::vocabulary)
      return next.next(cuts_positions_ ? own_positions(ids) : ids, weights).at(0);
    if (ids.is_cpu() && ids.numel() > 0 &&
        (ids.min().item<std::int64_t>() < 0 || ids.max().item<std::int64_t>() >= share.whole))
      throw DataError("a token is no id of the model, whose vocabulary is " +
                      std::to_string(share.whole));
    const at::Tensor local = ids.sub(share.begin);
    const at::Tensor missing = local.lt(0).logical_or(local.ge(share.size));
    const at::Tensor rows = next.next(local.masked_fill(missing, 0), weights).at(0);
    return leave(rows.masked_fill(missing.unsqueeze(-1), 0));
  }

  at::Tensor linear(LayerId id, Tensors in, Tensors weights, OpCall& next) {
    const Share& share = shares_.at(id);
    if (share.placement == Placement::rowwise) return rowwise(in, weights, next);
    const bool is_cut =
        share.placement == Placement::colwise || share.placement == Placement::vocabulary;
    require_mark(id, in[0], is_cut);
    if (!is_cut) return next.next(in, weights).at(0);
    TensorList own(weights.begin(), weights.end());
    if (share.has_all)
      for (at::Tensor& w : own) w = w.narrow(0, share.begin, share.size);
    const at::Tensor y = next.next(in.first(1), own).at(0);
    if (share.placement == Placement::colwise) return y;
    if (in.size() > 1)
      return token_losses(y.scalar_type() == at::kDouble ? y : y.to(at::kFloat), in[1],
                          {share.whole, share.begin, share.size}, *ranks_);
    return with_all_columns(y, columns_of(share.whole), *ranks_);
  }
  // The bias is added once, to the sum.
  at::Tensor rowwise(Tensors in, Tensors weights, OpCall& next) {
    const at::Tensor sum = leave(next.next(in, weights.first(1)).at(0));
    return weights.size() > 1 ? sum.add(weights[1]) : sum;
  }
  std::vector<std::int64_t> columns_of(std::int64_t whole) const {
    std::vector<std::int64_t> columns;
    for (std::int64_t r = 0; r != ranks_->size(); ++r)
      columns.push_back(whole * (r + 1) / ranks_->size() - whole * r / ranks_->size());
    return columns;
  }

  // Otherwise gradients would be summed too seldom, or too often.
  void require_mark(LayerId id, const at::Tensor& x, bool expected) const {
    const bool is_marked = entered_ && !entered_->expired() &&
                           entered_->_unsafe_get_target() == x.unsafeGetTensorImpl();
    if (is_marked == expected || (!expected && !at::GradMode::is_enabled())) return;
    const std::string& name = layers_.at(id).layer.name;
    throw Error(ErrorCode::not_supported,
                expected ? "tensor_parallel: the input of layer " + name +
                               " does not come from a layer of the operation layout: the model "
                               "marks another tensor, or a layer operation changes it"
                         : "tensor_parallel: layer " + name +
                               " is not cut, and its input comes from a layer of the operation "
                               "layout, which is for cut layers alone");
  }

  Config config_;
  std::unique_ptr<Communicator> ranks_;
  std::map<LayerId, KnownLayer> layers_;
  std::map<LayerId, Op> ops_;
  std::map<LayerId, Share> shares_;
  bool cuts_positions_ = false;                                     // in this visit
  std::optional<c10::weak_intrusive_ptr<at::TensorImpl>> entered_;  // what the last mark has given
};

}  // namespace

MORTISE_PLUGIN("org.mortise.tensor_parallel", MORTISE_VERSION,
               component<TensorParallel, Cutter, LayerOp>(
                   "tensor_parallel", "tensor and sequence parallelism over the mesh axis tp"));
