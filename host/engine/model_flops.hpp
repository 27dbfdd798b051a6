#pragma once

#include <cstdint>

#include "host/engine/layer_chains.hpp"

namespace mortise::host {

// Floating-point operations that training needs for one token of a sequence of `length`, counted
// from the declared layers as in PaLM (Chowdhery et al. 2022, appendix B): 6 for each weight of a
// linear layer (2 forward, 2 for each gradient), 12 x length x width for each attention (the whole
// square of scores, causal or not). A frozen weight costs 4, one below the first
// trainable unit 2. Everything else counts nothing: norms,
// activations, look-ups, recomputation, layer operations of plugins.
double training_flops_per_token(const LayerChains& chains, const Layer& layer, std::int64_t length);
double training_flops_per_token(const LayerChains& chains, std::int64_t length);

}  // namespace mortise::host
