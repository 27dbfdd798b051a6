#pragma once

#include <mortise/model/parameter.hpp>

namespace mortise::host {

// The host's own operation at the end of a layer's chain, resolved once from the layer.
class EagerOp {
 public:
  // An op that the host does not know is kept: it fails when it is reached, naming the layer, so
  // that a link may replace it.
  explicit EagerOp(const Layer& layer);
  // `training`: dropout draws.
  TensorList operator()(Tensors inputs, Tensors weights, bool training) const;

 private:
  enum class Kind {
    linear,
    embedding,
    rms_norm,
    layer_norm,
    attention,
    gelu,
    gelu_tanh,
    silu,
    relu,
    swiglu,
    dropout,
    identity,
    layout,
    unknown
  };
  Kind kind_ = Kind::unknown;
  double number_ = 0;  // epsilon or probability
  bool causal_ = false, isolates_ = false;
  std::string layer_, op_;
};

}  // namespace mortise::host
