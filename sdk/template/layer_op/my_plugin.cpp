// Layer operation: a number for each linear layer, learnt, that its output is multiplied with.

#include <ATen/core/Tensor.h>

#include <mortise/model/layer_op.hpp>
#include <mortise/plugin.hpp>

namespace {

class MyPlugin final : public mortise::LayerOp {
 public:
  // Takes what it knows and nothing else: a layer with attributes may want something different.
  std::optional<mortise::Link> bind(mortise::LayerId, const mortise::Layer& layer,
                                    const std::vector<mortise::ParameterInfo>& own) override {
    if (layer.op != "mortise.op/linear/1" || !layer.attributes.entries().empty())
      return std::nullopt;
    mortise::ParameterInfo scale = own.at(0);  // of the same units as the weight
    scale.name = layer.name + ".my_plugin";
    scale.shape = {1};
    scale.axes = {mortise::Axis::other};
    scale.role = mortise::Role::scale;  // starts at one
    return mortise::Link{{scale}, {}};
  }

  mortise::TensorList apply(mortise::LayerId, mortise::Tensors inputs, mortise::Tensors weights,
                            mortise::Tensors extra, mortise::OpCall& rest) override {
    return {rest.next(inputs, weights).at(0).mul(extra[0])};
  }
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::LayerOp>(
                   "my_plugin", "multiplies what linear layers give with a learnt number"));
