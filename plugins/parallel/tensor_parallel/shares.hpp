#pragma once

// How the layers of a model are dealt out over the ranks of axis tp: the placements of the model,
// carried out or refused.

#include <map>
#include <mortise/parallel/plan_builder.hpp>

namespace mortise_tp {

// The ranks of axis tp, and whether the positions of a sequence are dealt out between cut layers.
struct Ranks {
  std::int64_t size = 1, rank = 0;
  bool cut_positions = false;
};

// A layer of the model. `taken`: the operation is one that this plugin computes.
struct KnownLayer {
  mortise::Layer layer;
  bool taken = false;
};

// What this rank computes of a layer: of the dimension that is cut, `size` of `whole` from `begin`.
struct Share {
  mortise::Placement placement = mortise::Placement::replicate;
  std::int64_t whole = 0, begin = 0, size = 0;
  // The weights are not cut: several ranks compute the same part (keys and values).
  bool has_all = false;
};

// Cuts the parameters of `plan` over axis tp. Throws ConfigError, with the numbers and what is
// allowed, for placements that these ranks cannot carry out.
std::map<mortise::LayerId, Share> deal_out(const std::map<mortise::LayerId, KnownLayer>& layers,
                                           const Ranks& ranks, mortise::PlanBuilder& plan);

}  // namespace mortise_tp
