#pragma once

#include <mortise/parallel/selector.hpp>

namespace mortise::host {

// An action and what follows from its place among the others.
struct PlannedAction {
  Action action;
  std::int64_t next_unit = -1;   // of the next pass, a hint for prefetching
  bool gives_gradients = false;  // the unit's gradients of this micro-batch are complete after it
  bool last_of_step = false;     // no later pass of its kind for this unit
};
// Units below `first_trainable` have no gradients: their backward passes, and what would travel for
// them, are left out.
std::vector<PlannedAction> plan_step(const std::vector<Action>& actions,
                                     std::int64_t first_trainable);

}  // namespace mortise::host
