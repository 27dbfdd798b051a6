#include "host/engine/model_flops.hpp"

#include "host/checkpoint/box.hpp"
#include "host/engine/parameters.hpp"

namespace mortise::host {

double training_flops_per_token(const LayerChains& chains, const Layer& layer,
                                std::int64_t length) {
  if (layer.op == "mortise.op/attention/1")
    return 12.0 * double(length) * double(layer.attributes.get<std::int64_t>("width", 0));
  if (layer.op != "mortise.op/linear/1") return 0;
  const ParameterInfo& weight = chains.parameters()[std::size_t(layer.parameters.at(0))];
  const bool passes_gradients = weight.units.back() >= first_trainable_unit(chains.parameters());
  const double operations = weight.trainable ? 6 : passes_gradients ? 4 : 2;
  return operations * double(whole_box(weight.shape).count());
}

double training_flops_per_token(const LayerChains& chains, std::int64_t length) {
  double flops = 0;
  for (const Layer& layer : chains.layers())
    flops += training_flops_per_token(chains, layer, length);
  return flops;
}

}  // namespace mortise::host
