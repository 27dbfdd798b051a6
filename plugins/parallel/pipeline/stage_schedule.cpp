#include "stage_schedule.hpp"

namespace mortise_pipeline {
namespace {

using mortise::Action;
using Kind = Action::Kind;

void add_forward(const Stage& s, std::int64_t m, std::vector<Action>& all) {
  if (s.number > 0) all.push_back({Kind::receive_activations, m, s.units.front(), s.number - 1});
  for (const std::int64_t u : s.units) all.push_back({Kind::forward, m, u});
  if (s.number + 1 < s.stages)
    all.push_back({Kind::send_activations, m, s.units.back(), s.number + 1});
}

void add_backward(const Stage& s, std::int64_t m, std::vector<Action>& all) {
  if (s.number + 1 < s.stages)
    all.push_back({Kind::receive_gradients, m, s.units.back(), s.number + 1});
  for (auto u = s.units.rbegin(); u != s.units.rend(); ++u) all.push_back({Kind::backward, m, *u});
  if (s.number > 0) all.push_back({Kind::send_gradients, m, s.units.front(), s.number - 1});
}

}  // namespace

std::vector<Action> schedule_of(const Stage& stage, Order order, std::int64_t count) {
  const std::int64_t kept = order == Order::gpipe ? count : stage.stages - stage.number;
  std::vector<Action> all;
  std::int64_t forward = 0;
  for (std::int64_t backward = 0; backward != count; ++backward) {
    while (forward != count && forward < backward + kept) add_forward(stage, forward++, all);
    add_backward(stage, backward, all);
  }
  return all;
}

}  // namespace mortise_pipeline
