#pragma once

// The smallest host of a model: eager operations, one graph over all units.

#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>

#include <map>
#include <mortise/model/loss.hpp>
#include <mortise/model/model.hpp>
#include <string>

namespace mortise::tests {

inline at::Tensor activate(const std::string& kind, Tensors x) {
  if (kind == "swiglu") return at::silu(x[0]).mul(x[1]);
  if (kind == "silu") return at::silu(x[0]);
  if (kind == "relu") return at::relu(x[0]);
  return at::gelu(x[0], kind == "gelu_tanh" ? "tanh" : "none");
}

inline at::Tensor eager(const Layer& layer, Tensors x, const TensorList& w) {
  const std::string op = layer.op.substr(11, layer.op.size() - 13);  // mortise.op/…/1
  const at::Tensor bias = w.size() > 1 ? w[1] : at::Tensor();
  if (op == "linear") return at::linear(x[0], w[0], bias);
  if (op == "embedding") return at::embedding(w[0], x[0]);
  if (op == "activation") return activate(layer.attributes.get<std::string>("kind"), x);
  if (op == "attention")
    return at::scaled_dot_product_attention(x[0], x[1], x[2], {}, 0.0, true, std::nullopt, true);
  if (op == "dropout") return at::dropout(x[0], layer.attributes.get<double>("probability"), true);
  if (op == "identity" || op == "layout") return x[0];
  if (op != "norm") throw Error(ErrorCode::not_supported, layer.op);
  const double epsilon = layer.attributes.get<double>("epsilon");
  if (layer.attributes.get<std::string>("kind") == "rms")
    return at::rms_norm(x[0], w[0].sizes(), w[0], epsilon);
  return at::layer_norm(x[0], w[0].sizes(), w[0], bias, epsilon);
}

class ModelRun final : public UnitContext {
 public:
  // `weight` gives the first value of each parameter.
  template <class F>
  ModelRun(Model& model, const F& weight, Loss* loss = nullptr)
      : model_(model), layers_(model.layers()), infos_(model.parameters()), loss_(loss) {
    for (std::size_t p = 0; p != infos_.size(); ++p) {
      const at::Tensor own = model.leaf(ParameterId(p));
      weights_.push_back(own.defined() ? own : weight(infos_[p]).requires_grad_(true));
    }
  }

  // The logits, or with a loss its sum.
  at::Tensor forward(const Batch& batch) {
    batch_ = &batch;
    sum_.reset();
    TensorList hidden;
    const auto last = std::int64_t(model_.units().size()) - 1;
    for (std::int64_t u = 0; u <= last; ++u) hidden = visit(u, hidden, batch);
    return loss_ != nullptr ? sum_ : hidden.at(0);
  }
  TensorList visit(std::int64_t number, const TensorList& hidden, const Batch& batch) {
    batch_ = &batch;
    return model_.forward_unit({.unit = number}, *this, hidden, batch);
  }

  const at::Tensor& weight(const std::string& name) const {
    for (std::size_t p = 0; p != infos_.size(); ++p)
      if (infos_[p].name == name) return weights_[p];
    throw Error(ErrorCode::bad_argument, "no parameter " + name);
  }
  const std::vector<ParameterInfo>& infos() const { return infos_; }
  const TensorList& weights() const { return weights_; }
  const std::map<std::string, at::Tensor>& updates() const { return updates_; }

  TensorList apply(LayerId id, Tensors inputs) override {
    const Layer& layer = layers_.at(std::size_t(id));
    TensorList own;
    for (const ParameterId p : layer.parameters) own.push_back(weights_.at(std::size_t(p)));
    return {eager(layer, inputs, own)};
  }
  at::Tensor end(LayerId layer, const at::Tensor& hidden) override {
    if (loss_ == nullptr) return (*this)(layer, hidden);
    loss_->add_terms(*this, layer, hidden, *batch_);
    return {};
  }
  at::Tensor parameter(ParameterId p) override { return weights_.at(std::size_t(p)); }
  at::Tensor buffer(std::string_view name) override {
    for (const BufferInfo& b : model_.buffers())
      if (b.name == name) return b.initial;
    return {};
  }
  void term(std::string_view, const at::Tensor& sum, Denominator, double weight) override {
    const at::Tensor scaled = sum.mul(weight);
    sum_ = sum_.defined() ? sum_.add(scaled) : scaled;
  }
  void update(std::string_view name, const at::Tensor& value) override {
    updates_[std::string(name)] = value;
  }
  void record(std::string_view, const at::Tensor&) override {}

 private:
  Model& model_;
  std::vector<Layer> layers_;
  std::vector<ParameterInfo> infos_;
  Loss* loss_;
  TensorList weights_;
  const Batch* batch_ = nullptr;
  at::Tensor sum_;
  std::map<std::string, at::Tensor> updates_;
};

}  // namespace mortise::tests
