#include "host/engine/unit_costs.hpp"

#include "host/checkpoint/box.hpp"
#include "host/engine/model_flops.hpp"

namespace mortise::host {
namespace {

double flops_of(const LayerChains& chains, const Layer& layer, std::int64_t length) {
  if (layer.op.starts_with("mortise.op/")) return training_flops_per_token(chains, layer, length);
  double elements = 0;
  for (const ParameterId p : layer.parameters)
    elements += double(whole_box(chains.parameters()[std::size_t(p)].shape).count());
  return 6 * elements;
}

}  // namespace

std::vector<UnitCost> costs_of_units(const LayerChains& chains, const Names& units,
                                     std::int64_t length) {
  std::vector<UnitCost> costs;
  for (const std::string& name : units) costs.push_back({name});
  for (const ParameterInfo& p : chains.parameters())
    for (const std::int64_t unit : p.units)
      costs[std::size_t(unit)].parameters += whole_box(p.shape).count();
  std::int64_t here = 0;
  for (std::size_t i = 0; i != chains.layers().size(); ++i) {
    const Layer& layer = chains.layers()[i];
    if (!layer.parameters.empty())
      for (std::int64_t u = 0; u != std::int64_t(units.size()); ++u)
        if (chains.belongs(LayerId(i), u)) here = u;
    costs[std::size_t(here)].flops += flops_of(chains, layer, length);
  }
  return costs;
}

}  // namespace mortise::host
