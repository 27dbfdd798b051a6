// precision.compute: bfloat16. The plain loop does the same in one process: leaves in bfloat16 made
// of float32 masters, gradients converted and added in float32.

#include <ATen/ops/zeros.h>

#include "host/engine/plan.hpp"
#include "tests/distributed/against_plain_loop.hpp"

namespace mortise::tests {
namespace {

TrainingCase in_bfloat16(const std::string& name,
                         const std::function<void(TrainingCase&)>& change = {}) {
  TrainingCase c = named("bfloat16, " + name, change);
  c.bfloat16 = true, c.steps = 6;
  return c;
}

std::vector<TrainingCase> cases() {
  return {
      in_bfloat16("tied, uneven shards"),
      in_bfloat16(
          "own head, clipping, no reshard",
          [](TrainingCase& c) { c.shape.tied = false, c.clip_norm = 0.05, c.reshard = false; }),
      in_bfloat16("dropout, recomputation, accumulation, a frozen parameter",
                  [](TrainingCase& c) {
                    c.shape = odd_shape(), c.shape.frozen_bias = true, c.shape.dropout = 0.1;
                    c.recompute = true, c.micro_batches = 6;
                  }),
      in_bfloat16("two units in a group", [](TrainingCase& c) { c.units_per_group = 2; }),
      in_bfloat16("ddp", [](TrainingCase& c) { c.owner = "ddp", c.micro_batches = 5; }),
  };
}

}  // namespace

TEST_CASE("bfloat16: fsdp and ddp on 1 and 2 ranks equal a plain loop bitwise") {
  for (const TrainingCase& c : cases())
    for (const int size : {1, 2}) check_on_ranks(c, size, size == 2);
}

TEST_CASE("bfloat16: fsdp and ddp on replicas of shards equal a plain loop bitwise") {
  for (TrainingCase c : cases()) {
    c.mesh = {{"dp_replicate", 2}, {"dp", 2}}, c.steps = 3;
    check_on_ranks(c, 4, true);
  }
}

TEST_CASE("bfloat16: stages of a pipeline, which send activations, equal a plain loop bitwise") {
  for (const char* owner : {"fsdp", "ddp"})
    check_on_ranks(in_bfloat16("1f1b",
                               [&](TrainingCase& c) {
                                 c.strategies = {{"probe_zero_bubble", "zero_bubble", "1f1b"}};
                                 c.mesh = {{"pp", 2}}, c.owner = owner;
                               }),
                   2, true);
}

TEST_CASE("bfloat16: one reduction a step equals a loop that sums rank by rank") {
  for (const char* owner : {"fsdp", "ddp"}) {
    TrainingCase c = in_bfloat16("reduction: step", [&](TrainingCase& t) {
      t.owner = owner, t.by_micro_batch = false, t.micro_batches = 6, t.ranks_of_reference = 2;
    });
    check_on_ranks(c, 2, true);
  }
}

TEST_CASE("bfloat16: is what layers compute in, near float32") {
  TrainingCase c = in_bfloat16("against float32");
  const TrainingResult narrow = train_through_engine(c, 0, 1, false, {});
  c.bfloat16 = false;
  const TrainingResult wide = train_through_engine(c, 0, 1, false, {});
  for (std::size_t s = 0; s != wide.losses.size(); ++s) {
    CHECK(narrow.losses[s] != wide.losses[s]);
    CHECK(narrow.losses[s] == doctest::Approx(wide.losses[s]).epsilon(0.01));
  }
  CHECK(narrow.evaluation == doctest::Approx(wide.evaluation).epsilon(0.01));
  for (const at::Tensor& p : narrow.parameters) CHECK((p.scalar_type() == at::kFloat));
}

TEST_CASE("bfloat16: an owner that gives parameters in float32 is refused by name") {
  ParameterInfo info{"weight", {2, 3}, {0}};
  info.compute = DType::bfloat16;
  host::Plan plan({{info}, {}, 1}, {0}, {});
  plan.place(ParameterId(0), at::zeros({2, 3}, at::kBFloat16));
  try {
    plan.place(ParameterId(0), at::zeros({2, 3}));
    FAIL("was not refused");
  } catch (const Error& e) {
    CHECK(std::string(e.what()) ==
          "place: the owner gives weight as float32, and layers compute in bfloat16 "
          "(precision.compute): choose another owner, or precision");
  }
}

}  // namespace mortise::tests
