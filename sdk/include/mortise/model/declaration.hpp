#pragma once

#include <mortise/model/model.hpp>
#include <string>
#include <utility>

namespace [[gnu::visibility("hidden")]] mortise {

/// Whether attention crosses the ends of documents that share a sequence. A model's setting of this
/// type defaults to `data.documents`.
enum class Documents : std::int32_t { joined, isolated };

/// The inputs of an attention layer: query, key, value, and `document_ids` where the batch has
/// them.
inline TensorList attention_inputs(const at::Tensor& query, const at::Tensor& key,
                                   const at::Tensor& value, const Batch& batch) {
  if (!batch.has("document_ids")) return {query, key, value};
  return {query, key, value, batch["document_ids"]};
}

/// For model authors: declares units, layers and their parameters in one breath, and keeps the
/// three lists that a Model returns. Nothing of it crosses.
///
/// Layers belong to the unit that was declared last. Operations that the host knows: `linear`,
/// `embedding`, `norm`, `attention`, `activation`, `dropout`, `layout`, `identity`; attributes
/// below.
class Declaration {
 public:
  struct Weight {
    std::string name;
    Shape shape;
    Role role = Role::matrix;
    std::vector<Axis> axes{};
  };

  /// Begins a unit; `depth` is the number of a block, -1 for embedding and head.
  void unit(std::string name, std::int64_t depth = -1) {
    units.push_back(std::move(name));
    depth_ = depth;
  }
  /// y = x W^T (+ b). Shapes: [.., in] -> [.., out]; weight [out, in], bias [out].
  LayerId linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias = false,
                 Role role = Role::matrix) {
    std::vector<Weight> weights{{name + ".weight", {out, in}, role, {Axis::out, Axis::in}}};
    if (bias) weights.push_back({name + ".bias", {out}, Role::bias, {Axis::out}});
    return layer(name, "linear", std::move(weights));
  }
  /// Shapes: ids [..] int64 -> [.., width].
  LayerId embedding(const std::string& name, std::int64_t count, std::int64_t width) {
    return layer(
        name, "embedding",
        {{name + ".weight", {count, width}, Role::embedding, {Axis::vocabulary, Axis::out}}});
  }
  /// The head that shares an embedding's weight. Ends the lists of units of that parameter.
  LayerId tied_linear(const std::string& name, ParameterId weight) {
    auto& users = parameters.at(std::size_t(weight)).units;
    if (users.back() != current()) users.push_back(current());
    return layer(name, "linear", {}, {}, {weight});
  }
  /// kind: `rms` (Zhang & Sennrich 2019) or `layer` (Ba et al. 2016); over the last dimension.
  LayerId norm(const std::string& name, std::int64_t width, double epsilon,
               const std::string& kind = "rms", bool bias = false) {
    std::vector<Weight> weights{{name + ".weight", {width}, Role::norm, {Axis::out}}};
    if (bias) weights.push_back({name + ".bias", {width}, Role::bias, {Axis::out}});
    return layer(name, "norm", std::move(weights), {{"kind", kind}, {"epsilon", epsilon}});
  }
  /// Scaled dot-product attention, causal. Shapes: query [B, H, T, D], key and value [B, K, S, D]
  /// with H a multiple of K and S >= T -> [B, H, T, D]. The queries are the last T of S positions;
  /// a model gives S = T, links may put what came before in front. `width`, H * D, is what
  /// `perf/mfu` counts the work by; without it attention counts nothing there.
  /// `isolated`: a fourth input, document_ids [B, T], is taken (attention_inputs); a position
  /// attends to those before it in its own document alone, each run of equal numbers being one. The
  /// layer then has the attribute `documents`, and a link that does not know it leaves the layer
  /// alone.
  LayerId attention(const std::string& name, std::int64_t width = 0,
                    Documents documents = Documents::joined) {
    Values attributes{{"causal", true}};
    if (width > 0) attributes.set("width", width);
    if (documents == Documents::isolated) attributes.set("documents", std::string("isolated"));
    return layer(name, "attention", {}, std::move(attributes));
  }
  /// kind: `gelu`, `gelu_tanh`, `silu`, `relu` of one input; `swiglu` of two: silu(a) * b.
  LayerId activation(const std::string& name, const std::string& kind) {
    return layer(name, "activation", {}, {{"kind", kind}});
  }
  LayerId dropout(const std::string& name, double probability) {
    return layer(name, "dropout", {}, {{"probability", probability}});
  }
  /// Marks a tensor that goes into layers which are cut by their outputs (colwise, vocabulary) and
  /// into no others; it gives back its input. Tensor parallelism sums gradients there, and gathers
  /// positions. See PlacementRule.
  LayerId layout(const std::string& name) { return layer(name, "layout", {}); }
  /// A layer that gives back its input: the head of a model that computes its logits itself.
  LayerId identity(const std::string& name) { return layer(name, "identity", {}); }

  /// Any operation: `op` becomes `mortise.op/OP/1` unless it has slashes of its own. `shared` are
  /// parameters that are there already; they come first.
  LayerId layer(const std::string& name, const std::string& op, std::vector<Weight> weights,
                Values attributes = {}, std::vector<ParameterId> shared = {}) {
    Layer made{name, op.find('/') == std::string::npos ? "mortise.op/" + op + "/1" : op,
               std::move(shared), std::move(attributes)};
    for (Weight& w : weights) made.parameters.push_back(parameter(std::move(w)));
    layers.push_back(std::move(made));
    return LayerId(layers.size() - 1);
  }
  ParameterId parameter(Weight w) {
    ParameterInfo info;
    info.name = std::move(w.name);
    info.shape = std::move(w.shape);
    info.units = {current()};
    info.role = w.role;
    info.axes = std::move(w.axes);
    info.depth = depth_;
    parameters.push_back(std::move(info));
    return ParameterId(parameters.size() - 1);
  }
  ParameterId weight_of(LayerId id) const { return layers.at(std::size_t(id)).parameters.at(0); }

  std::vector<ParameterInfo> parameters;
  std::vector<Layer> layers;
  Names units;

 private:
  std::int64_t current() const { return std::int64_t(units.size()) - 1; }
  std::int64_t depth_ = -1;
};

}  // namespace mortise
