#include "host/engine/step_schedule.hpp"

#include <set>
#include <utility>

namespace mortise::host {
namespace {

// Gradients are sent by the unit above a border and received by the one below it.
bool serves_nobody(const Action& a, std::int64_t first_trainable) {
  using Kind = Action::Kind;
  switch (a.kind) {
    case Kind::backward:
    case Kind::weight_backward:
    case Kind::receive_gradients:
      return a.unit < first_trainable;
    case Kind::send_gradients:
      return a.unit <= first_trainable;
    default:
      return false;
  }
}

}  // namespace

std::vector<PlannedAction> plan_step(const std::vector<Action>& actions,
                                     std::int64_t first_trainable) {
  using Kind = Action::Kind;
  std::set<std::pair<std::int64_t, std::int64_t>> split;  // unit, micro-batch
  for (const Action& a : actions)
    if (a.kind == Kind::weight_backward) split.insert({a.unit, a.micro_batch});
  std::vector<PlannedAction> all;
  for (const Action& a : actions) {
    if (serves_nobody(a, first_trainable)) continue;
    const bool whole = a.kind == Kind::backward && split.count({a.unit, a.micro_batch}) == 0;
    all.push_back({a, -1, whole || a.kind == Kind::weight_backward, false});
  }
  std::set<std::pair<Kind, std::int64_t>> later;
  std::int64_t next = -1;
  for (auto a = all.rbegin(); a != all.rend(); ++a) {
    a->next_unit = next;
    const Kind kind = a->gives_gradients ? Kind::weight_backward : a->action.kind;
    a->last_of_step = later.insert({kind, a->action.unit}).second;
    if (a->action.kind == Kind::forward || a->action.kind == Kind::backward) next = a->action.unit;
  }
  return all;
}

}  // namespace mortise::host
