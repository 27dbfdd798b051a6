// Frozen first units: no backward pass runs for them, and what trains is what a plain loop trains.

#include "host/engine/step_schedule.hpp"
#include "tests/distributed/against_plain_loop.hpp"

namespace mortise::tests {
namespace {

TrainingCase with_frozen(std::int64_t units,
                         const std::function<void(TrainingCase&)>& change = {}) {
  TrainingCase c = named(std::to_string(units) + " frozen units");
  c.shape.tied = false, c.shape.frozen_units = units, c.steps = 4;
  if (change) change(c);
  return c;
}

const TrainingCase::Strategy kPipeline{"probe_zero_bubble", "zero_bubble", "zb_h1"};

}  // namespace

TEST_CASE("frozen: fsdp and ddp on 2 ranks equal a plain loop bitwise") {
  for (const std::int64_t units : {1, 2, 4})  // of 5
    for (const char* owner : {"fsdp", "ddp"})
      check_on_ranks(with_frozen(units, [&](TrainingCase& c) { c.owner = owner; }), 2, true);
  check_on_ranks(with_frozen(2,
                             [](TrainingCase& c) {
                               c.shape.dropout = 0.1, c.recompute = true, c.units_per_group = 2;
                               c.bfloat16 = true;
                             }),
                 2, true);
}

TEST_CASE("frozen: a tied embedding still trains below frozen blocks") {
  check_on_ranks(with_frozen(3, [](TrainingCase& c) { c.shape.tied = true; }), 2, true);
}

TEST_CASE("frozen: stages of a pipeline, one of them frozen whole") {
  for (const std::int64_t units : {1, 2, 3})  // the first stage has 2 or 3 of 5
    for (const char* owner : {"fsdp", "ddp"})
      check_on_ranks(with_frozen(units,
                                 [&](TrainingCase& c) {
                                   c.strategies = {kPipeline}, c.mesh = {{"pp", 2}};
                                   c.owner = owner;
                                 }),
                     2, true);
}

TEST_CASE("frozen: the first units are visited forward only") {
  Seen seen;
  TrainingCase c = with_frozen(2, [&](TrainingCase& t) { t.seen = &seen, t.steps = 1; });
  train_through_engine(c, 0, 1, false, {});
  std::vector<int> backward(5);
  for (const Visit& v : seen.visits)
    if (v.phase == Phase::backward) ++backward[std::size_t(v.unit)];
  const int all = int(c.micro_batches);
  CHECK(backward == std::vector<int>{0, 0, all, all, all});
}

TEST_CASE("frozen: a step's plan leaves out what nobody needs") {
  using Kind = Action::Kind;
  const std::vector<Action> actions = {
      {Kind::forward, 0, 0},
      {Kind::forward, 0, 1},
      {Kind::send_activations, 0, 1, 1},
      {Kind::receive_gradients, 0, 1, 1},
      {Kind::backward, 0, 1},
      {Kind::weight_backward, 0, 1},
      {Kind::backward, 0, 0},
      {Kind::weight_backward, 0, 0},
  };
  CHECK(host::plan_step(actions, 0).size() == 8);
  CHECK(host::plan_step(actions, 1).size() == 6);
  CHECK(host::plan_step(actions, 2).size() == 3);  // the unit above has no use for its gradients
  const std::vector<Action> above = {{Kind::backward, 0, 2}, {Kind::send_gradients, 0, 2, 0}};
  CHECK(host::plan_step(above, 1).size() == 2);
  CHECK(host::plan_step(above, 2).size() == 1);
}

}  // namespace mortise::tests
