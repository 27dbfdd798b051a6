// Layer operation: keys and values of the positions that were decoded before, in front of those of
// new ones, so that a token costs one position instead of the whole text. Training passes through.

#include <ATen/ops/cat.h>

#include <algorithm>
#include <mortise/model/layer_op.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

class KvCache final : public LayerOp {
 public:
  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>&) override {
    const auto& attributes = layer.attributes.entries();
    const bool known = std::all_of(attributes.begin(), attributes.end(), [](const auto& a) {
      return a.key == "causal" || a.key == "width" || a.key == "documents";
    });
    if (layer.op != "mortise.op/attention/1" || !known) return std::nullopt;
    return Link{};
  }

  TensorList apply(LayerId, Tensors inputs, Tensors weights, Tensors, OpCall& next) override {
    if (next.visit().phase != Phase::decode) return next.next(inputs, weights);
    if (inputs.size() != 3)
      throw Error(ErrorCode::not_supported, "kv_cache: a text that is decoded is one document");
    const at::Tensor keys = grown("keys", inputs[1], next);
    const at::Tensor values = grown("values", inputs[2], next);
    return next.next({inputs[0], keys, values}, weights);
  }

 private:
  // [B, K, T, D]; dimension 2 counts positions.
  static at::Tensor grown(std::string_view name, const at::Tensor& fresh, OpCall& call) {
    const at::Tensor past = call.state(name);
    const at::Tensor all = past.defined() ? at::cat({past, fresh}, 2) : fresh;
    call.keep(name, all);
    return all;
  }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.kv_cache", MORTISE_VERSION,
               component<KvCache, LayerOp>("kv_cache", "remembers keys and values while decoding"));
