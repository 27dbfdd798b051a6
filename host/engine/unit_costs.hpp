#pragma once

#include <mortise/parallel/selector.hpp>

#include "host/engine/layer_chains.hpp"

namespace mortise::host {

// What each unit of a model costs, for whoever puts units on stages; `length`: of the sequences
// that attention sees. A layer counts in the last unit that its parameters share, one without
// parameters where the layer before it stands. Layers of operations that the host does not know
// count 6 for each element of their parameters, the others as in training_flops_per_token.
std::vector<UnitCost> costs_of_units(const LayerChains& chains, const Names& units,
                                     std::int64_t length);

}  // namespace mortise::host
