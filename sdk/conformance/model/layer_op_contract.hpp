#pragma once

// What every LayerOp owes its caller: it binds what it knows and nothing else, and its gradients
// are those of what it computes.

#include <map>
#include <mortise/model/layer_op.hpp>
#include <set>

#include "../both_ways.hpp"
#include "finite_differences.hpp"
#include "reference_ops.hpp"

namespace mortise::conformance {

// A layer that the link must take, with small inputs in float32.
struct LayerOpCase {
  Layer layer;
  std::vector<ParameterInfo> own;
  TensorList inputs;
  Differences differences = kFloat32Differences;
};

namespace layer_op {

// The end of the chain, in a training visit of the unit to which the link's own things belong.
class LastCall final : public OpCall {
 public:
  LastCall(const Layer& layer, const Link& link) : layer_(layer) {
    for (const BufferInfo& b : link.buffers)
      buffers_[b.name] = b.initial.defined() ? b.initial.clone() : at::zeros(b.shape, at::kFloat);
  }
  TensorList next(Tensors inputs, Tensors weights) override {
    return {reference_op(layer_, inputs, weights, true)};
  }
  Visit visit() const override { return {}; }
  at::Tensor buffer(std::string_view name) const override { return buffers_.at(std::string(name)); }
  void update(std::string_view name, const at::Tensor& value) override {
    if (value.sizes() != buffer(name).sizes())
      throw ShapeError("an update of " + std::string(name) + " has another shape");
  }
  at::Tensor state(std::string_view) const override { return {}; }
  void keep(std::string_view name, const at::Tensor&) override {
    throw Error(ErrorCode::bad_argument, "keeps " + std::string(name) + " in training");
  }

 private:
  const Layer& layer_;
  std::map<std::string, at::Tensor> buffers_;
};

inline at::Tensor leaf_of(const ParameterInfo& info) {
  return sample_values(info.name, info.shape)
      .mul(0.3)
      .to(at::kFloat)
      .requires_grad_(info.trainable);
}

inline void check_bind(LayerOp& op, const LayerOpCase& c, Report& report) {
  Layer unknown = c.layer, odd = c.layer;
  unknown.op = "org.example/unheard_of/1";
  odd.attributes.set("unheard_of", true);
  report.expect(!op.bind(LayerId(8), unknown, c.own), "bind: an unknown operation is not taken");
  report.expect(!op.bind(LayerId(9), odd, c.own),
                "bind: a layer with an unknown attribute is not taken");
  const std::optional<Link> link = op.bind(LayerId(0), c.layer, c.own);
  if (!report.expect(link.has_value(), "bind: takes the layer that it is for")) return;
  std::set<std::string> names;
  for (const ParameterInfo& info : c.own) names.insert(info.name);
  for (const ParameterInfo& info : link->parameters) {
    report.expect(!info.name.empty() && names.insert(info.name).second,
                  "bind: names of new parameters are global and new");
    report.expect(!info.units.empty(), "bind: a new parameter belongs to a unit");
  }
  for (const BufferInfo& b : link->buffers)
    report.expect(!b.name.empty() && names.insert(b.name).second,
                  "bind: names of buffers are global and new");
}

inline void check_apply(LayerOp& op, const LayerOpCase& c, Report& report) {
  const std::optional<Link> link = op.bind(LayerId(0), c.layer, c.own);
  if (!link) return;
  TensorList weights, extra;
  for (const ParameterInfo& info : c.own) weights.push_back(leaf_of(info));
  for (const ParameterInfo& info : link->parameters) extra.push_back(leaf_of(info));
  const auto outputs = [&] {
    LastCall last(c.layer, *link);
    at::manual_seed(4);
    return op.apply(LayerId(0), c.inputs, weights, extra, last);
  };
  const auto sum = [&] {
    at::Tensor total = at::zeros({}, at::kDouble);
    for (const at::Tensor& t : outputs())
      total = total.add(t.to(at::kDouble).mul(sample_values("output", t.sizes().vec())).sum());
    return total;
  };
  const at::Tensor total = sum();
  report.expect(total.isfinite().all().item<bool>(), "apply: outputs are finite");
  report.expect(same_bits(sum().detach(), total.detach()), "apply: same seed, same output");
  if (total.requires_grad()) total.backward();
  for (std::size_t i = 0; i != extra.size(); ++i) {
    const ParameterInfo& info = link->parameters[i];
    const auto scope = report.inside(info.name);
    if (!info.trainable) continue;
    if (!report.expect(extra[i].grad().defined(), "apply: gradients flow to what was bound"))
      continue;
    report.expect(slope_agrees(
                      info.name + " direction", extra[i], extra[i].grad(),
                      [&] { return sum().item<double>(); }, c.differences),
                  "apply: gradients equal finite differences");
  }
}

}  // namespace layer_op

inline void check_layer_op_contract(LayerOp& op, const LayerOpCase& c, Report& report) {
  report.section("bind", [&] { layer_op::check_bind(op, c, report); });
  report.section("apply", [&] { layer_op::check_apply(op, c, report); });
}

}  // namespace mortise::conformance
