// Layer operation: linear layers whose inputs and weights are rounded to 8-bit floats (e4m3) with
// scales from a running maximum (delayed scaling, Micikevicius et al. 2022), simulated in float32.
// Gradients pass through the rounding.

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/where.h>

#include <map>
#include <mortise/model/layer_op.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

class Fp8 final : public LayerOp {
 public:
  struct Config {
    double decay = 0.9;
    static constexpr auto settings() {
      return fields(field("decay", &Config::decay)
                        .between(0, 1)
                        .doc("what is left of the running maximum after a step"));
    }
  };
  explicit Fp8(const Config& config) : decay_(config.decay) {}

  std::optional<Link> bind(LayerId id, const Layer& layer,
                           const std::vector<ParameterInfo>& own) override {
    const bool known = layer.op == "mortise.op/linear/1" && layer.attributes.entries().empty();
    if (!known || own.at(0).units.size() != 1) return std::nullopt;
    names_[id] = layer.name;
    const auto largest = [&](const char* of) {
      return BufferInfo{.name = layer.name + of, .unit = own[0].units[0], .combine = Combine::max};
    };
    return Link{.buffers = {largest(".input_max"), largest(".weight_max")}};
  }

  TensorList apply(LayerId id, Tensors inputs, Tensors weights, Tensors, OpCall& next) override {
    TensorList rounded(weights.begin(), weights.end());
    rounded[0] = round(weights[0], names_.at(id) + ".weight_max", next);
    return next.next(round(inputs[0], names_.at(id) + ".input_max", next), rounded);
  }

 private:
  static constexpr double kLargest = 448;  // of e4m3

  at::Tensor round(const at::Tensor& t, const std::string& buffer, OpCall& call) const {
    const at::Tensor x = t.detach(), seen = call.buffer(buffer), now = x.abs().amax();
    call.update(buffer, at::maximum(seen * decay_, now));
    const at::Tensor scale = kLargest / at::where(seen > 0, seen, now).clamp_min(1e-12);
    const at::Tensor small = (x * scale).clamp(-kLargest, kLargest).to(at::kFloat8_e4m3fn);
    return t + (small.to(x.scalar_type()) / scale - x);
  }

  double decay_;
  std::map<LayerId, std::string> names_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.fp8", MORTISE_VERSION,
               component<Fp8, LayerOp>("fp8", "linear layers in simulated 8-bit floats"));
