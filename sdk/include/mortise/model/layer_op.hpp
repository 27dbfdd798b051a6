#pragma once

#include <mortise/model/parameter.hpp>
#include <mortise/model/visit.hpp>
#include <optional>

namespace [[gnu::visibility("hidden")]] mortise {

/// What a link adds to the layer that it binds to. The names are global. `freezes`: the layer's own
/// parameters are not trained.
struct Link {
  std::vector<ParameterInfo> parameters{};
  std::vector<BufferInfo> buffers{};
  bool freezes = false;
};

/// The rest of a layer's chain, lent for one call, and what a link may reach during it.
class OpCall : public Interface {
 public:
  /// A link that replaces the operation does not call it.
  virtual TensorList next(Tensors inputs, Tensors weights) = 0;
  virtual Visit visit() const { throw missing(); }
  /// The value of a buffer at the beginning of the step, not to be written to.
  virtual at::Tensor buffer(std::string_view) const { throw missing(); }
  /// A new value of a buffer, combined and applied once, after the step (see BufferInfo).
  virtual void update(std::string_view, const at::Tensor&) { throw missing(); }
  /// What this link has kept at this layer since decoding began; undefined: nothing, and always so
  /// outside of Phase::decode.
  virtual at::Tensor state(std::string_view) const { throw missing(); }
  /// Errors: Error(bad_argument) outside of Phase::decode.
  virtual void keep(std::string_view, const at::Tensor&) { throw missing(); }

 protected:
  static Error missing() {
    return {ErrorCode::not_supported, "this host is older than the plugin"};
  }
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
  static constexpr auto map = std::tuple{MORTISE_MEMBER(parameters), MORTISE_MEMBER(buffers),
                                         MORTISE_MEMBER(freezes).needs<0>()};
};
}  // namespace kit

template <>
class Remote<OpCall> final : public kit::RemoteBase<OpCall, mt_op_call_v1> {
 public:
  static constexpr const char* id = "mortise/op_call/1";
  using Methods = kit::Methods<&OpCall::next, &OpCall::visit, &OpCall::buffer, &OpCall::update,
                               &OpCall::state, &OpCall::keep>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  TensorList next(Tensors inputs, Tensors weights) override {
    return call(&Table::next, &OpCall::next, inputs, weights);
  }
  Visit visit() const override {
    if (!has(&Table::visit)) throw missing();
    return call(&Table::visit, &OpCall::visit);
  }
  at::Tensor buffer(std::string_view name) const override {
    if (!has(&Table::buffer)) throw missing();
    return call(&Table::buffer, &OpCall::buffer, name);
  }
  void update(std::string_view buffer, const at::Tensor& value) override {
    if (!has(&Table::update)) throw missing();
    call(&Table::update, &OpCall::update, buffer, value);
  }
  at::Tensor state(std::string_view name) const override {
    if (!has(&Table::state)) throw missing();
    return call(&Table::state, &OpCall::state, name);
  }
  void keep(std::string_view name, const at::Tensor& value) override {
    if (!has(&Table::keep)) throw missing();
    call(&Table::keep, &OpCall::keep, name, value);
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
