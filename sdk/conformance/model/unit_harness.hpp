#pragma once

// The smallest host of a model: reference operations, its own summed cross-entropy as the loss, and
// a strict eye on what a unit may reach.

#include <ATen/ATen.h>

#include <map>
#include <mortise/model/loss.hpp>
#include <mortise/model/model.hpp>

#include "reference_ops.hpp"
#include "sample_parameters.hpp"

namespace mortise::conformance {

// Random tokens; every fifth target does not count.
inline Batch token_batch(std::int64_t vocabulary, std::int64_t sequences, std::int64_t length) {
  at::Tensor ids = at::empty({sequences, length + 1}, at::kLong);
  for (std::int64_t i = 0; i != ids.numel(); ++i)
    ids.mutable_data_ptr<std::int64_t>()[i] =
        std::int64_t(random::bits(3, std::uint64_t(i)) % std::uint64_t(vocabulary));
  at::Tensor targets = ids.narrow(1, 1, length).clone();
  for (std::int64_t i = 3; i < targets.numel(); i += 5)
    targets.mutable_data_ptr<std::int64_t>()[i] = -100;
  Batch batch;
  batch.set("tokens", ids.narrow(1, 0, length).clone());
  batch.set("targets", targets);
  batch.set("positions", at::arange(length, at::kLong).expand({sequences, length}).contiguous());
  return batch;
}

class UnitHarness final : public UnitContext {
 public:
  UnitHarness(Model& model, at::ScalarType type)
      : model_(model), layers_(model.layers()), infos_(model.parameters()) {
    for (std::size_t p = 0; p != infos_.size(); ++p) leaves_.push_back(make_leaf(p, type));
    for (const BufferInfo& b : model.buffers()) buffers_[b.name] = first_value(b);
  }

  // One unit; draws of random numbers depend on the unit alone.
  TensorList visit(const Visit& visit, Tensors hidden, const Batch& batch) {
    visit_ = &visit;
    batch_ = &batch;
    terms_ = at::zeros({}, at::kDouble);
    at::manual_seed(std::uint64_t(77 + visit.unit));
    TensorList out = model_.forward_unit(visit, *this, hidden, batch);
    visit_ = nullptr;
    return out;
  }
  // What the visit has added to the loss: 0-d float64.
  const at::Tensor& terms() const { return terms_; }

  // The loss of the whole model, through one graph.
  at::Tensor loss(const Batch& batch) {
    TensorList hidden;
    const auto units = std::int64_t(model_.units().size());
    for (std::int64_t u = 0; u != units; ++u)
      hidden = visit({u, 0, Phase::forward, u + 1 < units ? u + 1 : -1, true}, hidden, batch);
    return terms_;
  }

  const std::vector<ParameterInfo>& infos() const { return infos_; }
  const TensorList& leaves() const { return leaves_; }

  TensorList apply(LayerId id, Tensors inputs) override {
    const Layer& layer = layers_.at(std::size_t(id));
    TensorList weights;
    for (const ParameterId p : layer.parameters) weights.push_back(parameter(p));
    const bool training = visit_->phase == Phase::forward || visit_->phase == Phase::recompute;
    return {reference_op(layer, inputs, weights, training)};
  }
  at::Tensor end(LayerId layer, const at::Tensor& hidden) override {
    const at::Tensor logits = apply(layer, hidden).front();
    if (visit_->phase == Phase::evaluate || visit_->phase == Phase::decode) return logits;
    const at::Tensor targets = (*batch_)["targets"], counted = targets.ne(-100);
    const at::Tensor picked = logits.to(at::kDouble)
                                  .log_softmax(-1)
                                  .gather(-1, targets.clamp_min(0).unsqueeze(-1))
                                  .squeeze(-1);
    term("harness", picked.mul(counted).sum().neg(), Denominator::tokens, 1);
    return {};
  }
  at::Tensor parameter(ParameterId p) override {
    const ParameterInfo& info = infos_.at(std::size_t(p));
    const auto& units = info.units;
    if (std::find(units.begin(), units.end(), visit_->unit) == units.end())
      throw Error(ErrorCode::bad_argument, info.name + " is used in unit " +
                                               std::to_string(visit_->unit) +
                                               ", to which it does not belong");
    return leaves_[std::size_t(p)];
  }
  at::Tensor buffer(std::string_view name) override { return buffers_.at(std::string(name)); }
  void term(std::string_view, const at::Tensor& sum, Denominator, double weight) override {
    if (sum.dim() != 0) throw ShapeError("a term is not 0-d");
    terms_ = terms_.add(sum.to(at::kDouble), weight);
  }
  void update(std::string_view name, const at::Tensor& value) override {
    if (value.sizes() != buffers_.at(std::string(name)).sizes())
      throw ShapeError("an update of " + std::string(name) + " has another shape");
  }
  void record(std::string_view, const at::Tensor& value) override {
    if (value.dim() != 0) throw ShapeError("a record is not 0-d");
  }

 private:
  // Norms and scales near one, the rest small, as a trained model has them.
  at::Tensor make_leaf(std::size_t p, at::ScalarType type) const {
    const ParameterInfo& info = infos_[p];
    const bool near_one = info.role == Role::norm || info.role == Role::scale;
    const at::Tensor values =
        sample_values(info.name, info.shape).mul(0.2).add(near_one ? 1 : 0).to(type);
    at::Tensor own = model_.leaf(ParameterId(p));
    if (!own.defined()) own = at::empty({0}, type);
    own.set_data(values);
    own.set_requires_grad(info.trainable);
    own.mutable_grad().reset();
    return own;
  }

  static at::Tensor first_value(const BufferInfo& b) {
    return b.initial.defined() ? b.initial.clone() : at::zeros(b.shape, at::kFloat);
  }

  Model& model_;
  std::vector<Layer> layers_;
  std::vector<ParameterInfo> infos_;
  TensorList leaves_;
  std::map<std::string, at::Tensor> buffers_;
  const Visit* visit_ = nullptr;
  const Batch* batch_ = nullptr;
  at::Tensor terms_;
};

}  // namespace mortise::conformance
