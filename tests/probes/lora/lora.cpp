// Layer operation: low-rank adapters of linear layers (Hu et al. 2021). What it matches is frozen;
// the product of two narrow matrices is trained beside it.

#include <ATen/TensorOperators.h>

#include <mortise/model/layer_op.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

class Lora final : public LayerOp {
 public:
  struct Config {
    std::int64_t rank = 8;
    double alpha = 16;
    static constexpr auto settings() {
      return fields(field("rank", &Config::rank).at_least(1).doc("width of the adapters"),
                    field("alpha", &Config::alpha).doc("their output counts alpha / rank times"));
    }
  };
  explicit Lora(const Config& config)
      : rank_(config.rank), scale_(config.alpha / double(config.rank)) {}

  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>& own) override {
    if (layer.op == "mortise.op/embedding/1" || layer.op == "mortise.op/norm/1")
      return Link{.freezes = true};
    if (layer.op != "mortise.op/linear/1" || !layer.attributes.entries().empty())
      return std::nullopt;
    ParameterInfo down = own.at(0), up = down;
    down.name = layer.name + ".lora_a.weight";
    down.shape[0] = rank_;
    up.name = layer.name + ".lora_b.weight";
    up.shape[1] = rank_;
    up.starts_at_zero = true;
    return Link{.parameters = {down, up}, .freezes = true};
  }

  TensorList apply(LayerId, Tensors inputs, Tensors weights, Tensors extra, OpCall& next) override {
    TensorList outputs = next.next(inputs, weights);
    if (extra.empty()) return outputs;
    const TensorList low = next.next(inputs, extra.first(1));
    return {outputs[0] + next.next(low, extra.last(1))[0] * scale_};
  }

 private:
  std::int64_t rank_;
  double scale_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.lora", MORTISE_VERSION,
               component<Lora, LayerOp>("lora", "low-rank adapters of linear layers"));
