#include "host/engine/layer_chains.hpp"

#include <algorithm>

#include "host/engine/buffers.hpp"

namespace mortise::host {

struct LayerChains::Next final : OpCall {
  Next(const LayerChains& c, std::size_t l, std::size_t p, VisitScope& s)
      : chains(c), layer(l), position(p), scope(s) {}
  TensorList next(Tensors inputs, Tensors weights) override {
    return chains.step(layer, position, inputs, weights, scope);
  }
  Visit visit() const override { return scope.visit; }
  at::Tensor buffer(std::string_view name) const override { return scope.buffer(name); }
  void update(std::string_view name, const at::Tensor& value) override {
    scope.update(name, value);
  }
  at::Tensor state(std::string_view name) const override {
    if (scope.kept == nullptr) return {};
    const auto found = scope.kept->find({layer, position, std::string(name)});
    return found == scope.kept->end() ? at::Tensor() : found->second;
  }
  void keep(std::string_view name, const at::Tensor& value) override {
    if (scope.kept == nullptr)
      throw Error(ErrorCode::bad_argument, "keep: only a visit that decodes keeps states");
    (*scope.kept)[{layer, position, std::string(name)}] = value;
  }
  const LayerChains& chains;
  std::size_t layer, position;  // of the link that is called next
  VisitScope& scope;
};

at::Tensor VisitScope::buffer(std::string_view name) const {
  return buffers.values()[buffers.find(name, visit.unit)];
}

void VisitScope::update(std::string_view name, const at::Tensor& value) {
  const std::size_t buffer = buffers.find(name, visit.unit);
  if (is_training()) updates.push_back({buffer, value});
}

LayerChains::LayerChains(const Model& model, const std::vector<LayerOpBinding>& ops)
    : parameters_(model.parameters()), layers_(model.layers()), buffers_(model.buffers()) {
  for (const Layer& layer : layers_) chains_.push_back({{}, EagerOp(layer), {}});
  for (const LayerOpBinding& binding : ops) bind(binding);
  for (std::size_t i = 0; i != layers_.size(); ++i) find_units(i);
}

void LayerChains::bind(const LayerOpBinding& binding) {
  bool bound = false, matched = false;
  for (std::size_t i = 0; i != layers_.size(); ++i) {
    if (!matches(binding.pattern, layers_[i].name)) continue;
    matched = true;
    std::vector<ParameterInfo> own;
    for (const ParameterId p : layers_[i].parameters) own.push_back(parameters_[std::size_t(p)]);
    const std::optional<Link> link = binding.op->bind(LayerId(i), layers_[i], own);
    if (!link) continue;
    bound = true;
    LinkPlace place{binding.op, {}};
    for (const ParameterInfo& p : link->parameters) {
      place.extra.push_back(ParameterId(parameters_.size()));
      parameters_.push_back(p);
    }
    buffers_.insert(buffers_.end(), link->buffers.begin(), link->buffers.end());
    if (link->freezes)
      for (const ParameterId p : layers_[i].parameters)
        parameters_[std::size_t(p)].trainable = false;
    chains_[i].links.push_back(std::move(place));
  }
  if (!matched)
    throw ConfigError("layer_ops: " + binding.name + ": no layer of the model matches '" +
                      binding.pattern + "'; its first is " +
                      (layers_.empty() ? std::string("missing") : layers_.front().name));
  if (!bound)
    throw ConfigError("layer_ops: " + binding.name + " takes none of the layers that match '" +
                      binding.pattern + "'");
}

// The units in which a layer may be applied: those that all its parameters share.
void LayerChains::find_units(std::size_t layer) {
  std::vector<ParameterId> all = layers_[layer].parameters;
  for (const LinkPlace& link : chains_[layer].links)
    all.insert(all.end(), link.extra.begin(), link.extra.end());
  auto& units = chains_[layer].units;
  for (std::size_t i = 0; i != all.size(); ++i) {
    const auto& mine = parameters_[std::size_t(all[i])].units;
    if (i == 0) {
      units = mine;
    } else {
      std::vector<std::int64_t> both;
      std::set_intersection(units.begin(), units.end(), mine.begin(), mine.end(),
                            std::back_inserter(both));
      units = std::move(both);
    }
  }
}

bool LayerChains::belongs(LayerId layer, std::int64_t unit) const {
  const Chain& chain = chains_.at(std::size_t(layer));
  if (layers_[std::size_t(layer)].parameters.empty() && chain.units.empty()) return true;
  return std::find(chain.units.begin(), chain.units.end(), unit) != chain.units.end();
}

TensorList LayerChains::run(LayerId layer, Tensors inputs, VisitScope& scope) const {
  const Layer& l = layers_[std::size_t(layer)];
  TensorList weights;
  weights.reserve(l.parameters.size());
  for (const ParameterId p : l.parameters) weights.push_back(scope.leaves[std::size_t(p)]);
  return step(std::size_t(layer), 0, inputs, weights, scope);
}

TensorList LayerChains::step(std::size_t layer, std::size_t position, Tensors inputs,
                             Tensors weights, VisitScope& scope) const {
  const Chain& chain = chains_[layer];
  if (position == chain.links.size()) return chain.end(inputs, weights, scope.is_training());
  const LinkPlace& link = chain.links[position];
  TensorList extra;
  for (const ParameterId p : link.extra) extra.push_back(scope.leaves[std::size_t(p)]);
  Next next(*this, layer, position + 1, scope);
  return link.op->apply(LayerId(layer), inputs, weights, extra, next);
}

}  // namespace mortise::host
