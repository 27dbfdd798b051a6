#include "host/engine/model_flops.hpp"

#include "host/checkpoint/box.hpp"
#include "host/engine/parameters.hpp"

namespace mortise::host {

double training_flops_per_token(const LayerChains& chains, std::int64_t length) {
  const std::int64_t first = first_trainable_unit(chains.parameters());
  double flops = 0;
  for (const Layer& layer : chains.layers()) {
    if (layer.op == "mortise.op/attention/1")
      flops += 12.0 * double(length) * double(layer.attributes.get<std::int64_t>("width", 0));
    if (layer.op != "mortise.op/linear/1") continue;
    const ParameterInfo& weight = chains.parameters()[std::size_t(layer.parameters.at(0))];
    const bool passes_gradients = weight.units.back() >= first;
    flops += (weight.trainable   ? 6.0
              : passes_gradients ? 4.0
                                 : 2.0) *
             double(whole_box(weight.shape).count());
  }
  return flops;
}

}  // namespace mortise::host
