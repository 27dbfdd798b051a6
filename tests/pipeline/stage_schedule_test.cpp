#include "plugins/parallel/pipeline/stage_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace {

using mortise::Action;
using mortise_pipeline::Order;
using mortise_pipeline::schedule_of;
using mortise_pipeline::Stage;
using Kind = Action::Kind;

constexpr std::int64_t kMost = 6;  // stages; micro-batches up to twice as many

// Two units on every stage.
Stage stage_of(std::int64_t number, std::int64_t stages) {
  return {number, stages, {2 * number, 2 * number + 1}};
}

// The most micro-batches whose forward pass is done and whose backward pass is not.
std::int64_t most_alive(const std::vector<Action>& actions, std::int64_t last_unit) {
  std::int64_t alive = 0, most = 0;
  for (const Action& a : actions) {
    if (a.kind == Kind::forward && a.unit == last_unit) most = std::max(most, ++alive);
    if (a.kind == Kind::backward && a.unit == last_unit) --alive;
  }
  return most;
}

// When the last stage of all is done, if a forward pass of a unit takes 1, a backward pass 2 and
// messages nothing.
std::int64_t makespan(std::int64_t stages, Order order, std::int64_t count) {
  std::map<std::tuple<bool, std::int64_t, std::int64_t>, std::int64_t> sent;  // for unit: when
  std::vector<std::vector<Action>> all;
  for (std::int64_t s = 0; s != stages; ++s)
    all.push_back(schedule_of(stage_of(s, stages), order, count));
  std::vector<std::size_t> next(all.size());
  std::vector<std::int64_t> now(all.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s != all.size(); ++s)
      for (; next[s] != all[s].size(); ++next[s], moved = true) {
        const Action& a = all[s][next[s]];
        if (a.kind == Kind::forward) now[s] += 1;
        if (a.kind == Kind::backward) now[s] += 2;
        if (a.kind == Kind::send_activations) sent[{false, a.unit + 1, a.micro_batch}] = now[s];
        if (a.kind == Kind::send_gradients) sent[{true, a.unit - 1, a.micro_batch}] = now[s];
        if (a.kind != Kind::receive_activations && a.kind != Kind::receive_gradients) continue;
        const auto letter = sent.find({a.kind == Kind::receive_gradients, a.unit, a.micro_batch});
        if (letter == sent.end()) break;
        now[s] = std::max(now[s], letter->second);
      }
  }
  return *std::max_element(now.begin(), now.end());
}

}  // namespace

TEST_CASE("1f1b: a stage keeps no more micro-batches than stages from it to the last") {
  for (std::int64_t stages = 1; stages <= kMost; ++stages)
    for (std::int64_t count = stages; count <= 2 * kMost; ++count)
      for (std::int64_t s = 0; s != stages; ++s) {
        CAPTURE(stages);
        CAPTURE(count);
        CAPTURE(s);
        const Stage stage = stage_of(s, stages);
        CHECK(most_alive(schedule_of(stage, Order::one_f_one_b, count), 2 * s + 1) == stages - s);
        CHECK(most_alive(schedule_of(stage, Order::gpipe, count), 2 * s + 1) == count);
      }
}

TEST_CASE("1f1b, gpipe: a step takes the time of its micro-batches and of the other stages") {
  for (std::int64_t stages = 1; stages <= kMost; ++stages)
    for (std::int64_t count = stages; count <= 2 * kMost; ++count)
      for (const Order order : {Order::one_f_one_b, Order::gpipe}) {
        CAPTURE(stages);
        CAPTURE(count);
        CHECK(makespan(stages, order, count) == 2 * (1 + 2) * (count + stages - 1));
      }
}

TEST_CASE("1f1b, gpipe: gradients come in the order of the micro-batches") {
  for (const Order order : {Order::one_f_one_b, Order::gpipe}) {
    std::vector<std::int64_t> seen;
    for (const Action& a : schedule_of(stage_of(1, 3), order, 5))
      if (a.kind == Kind::backward && a.unit == 2) seen.push_back(a.micro_batch);
    CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  }
}
