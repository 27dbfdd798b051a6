#pragma once

#include <mortise/model/parameter.hpp>
#include <optional>

namespace [[gnu::visibility("hidden")]] mortise {

/// What a link adds to the layer that it binds to. The names are global.
struct Link {
  std::vector<ParameterInfo> parameters{};
  std::vector<BufferInfo> buffers{};
};

/// The rest of a layer's chain, lent for one call. A link that replaces the operation does not
/// call it.
class OpCall : public Interface {
 public:
  virtual TensorList next(Tensors inputs, Tensors weights) = 0;
};

/// A link in the chains of layers: an adapter, a fused kernel, low precision, tensor parallelism.
///
/// The host calls bind once for each layer that the run file's pattern matches, and keeps the
/// chain; its end is the host's own eager operation.
///
/// Errors:  a layer whose op or attributes a link does not know: bind returns nothing. A pattern
///          that matches no layer is the user's error.
/// Threads: step thread.
/// Ranks:   as the link documents.
/// Grad:    flows through what apply returns.
class LayerOp : public Interface {
 public:
  virtual std::optional<Link> bind(LayerId id, const Layer& layer,
                                   const std::vector<ParameterInfo>& own) = 0;
  /// `weights` are the layer's, as the previous link passed them on; `extra` what this link bound,
  /// in the order of Link::parameters.
  virtual TensorList apply(LayerId layer, Tensors inputs, Tensors weights, Tensors extra,
                           OpCall& next) = 0;
};

namespace kit {
template <>
struct members<Link> {
  MORTISE_MEMBERS(Link, mt_link);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(parameters), MORTISE_MEMBER(buffers)};
};
}  // namespace kit

template <>
class Remote<OpCall> final : public kit::RemoteBase<OpCall, mt_op_call_v1> {
 public:
  static constexpr const char* id = "mortise/op_call/1";
  using Methods = kit::Methods<&OpCall::next>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  TensorList next(Tensors inputs, Tensors weights) override {
    return call(&Table::next, &OpCall::next, inputs, weights);
  }
};

template <>
class Remote<LayerOp> final : public kit::RemoteBase<LayerOp, mt_layer_op_v1> {
 public:
  static constexpr const char* id = "mortise/layer_op/1";
  using Methods = kit::Methods<&LayerOp::bind, &LayerOp::apply>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::optional<Link> bind(LayerId layer_id, const Layer& layer,
                           const std::vector<ParameterInfo>& own) override {
    return call(&Table::bind, &LayerOp::bind, layer_id, layer, own);
  }
  TensorList apply(LayerId layer, Tensors inputs, Tensors weights, Tensors extra,
                   OpCall& next) override {
    return call(&Table::apply, &LayerOp::apply, layer, inputs, weights, extra, next);
  }
};

}  // namespace mortise
