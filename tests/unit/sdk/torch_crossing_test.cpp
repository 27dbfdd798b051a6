// Tensors and what is made of them, in place and through tables.

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <mortise/model/layer_op.hpp>
#include <mortise/model/loss.hpp>
#include <mortise/optim/optimizer.hpp>
#include <mortise/run/stateful.hpp>

#include "sdk/conformance/both_ways.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

// next() adds the weights to the inputs; with no weights it gives the inputs back.
class Adds final : public OpCall {
 public:
  TensorList next(Tensors inputs, Tensors weights) override {
    TensorList out(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i != weights.size(); ++i) out[i] = inputs[i].add(weights[i]);
    return out;
  }
};

class Keeps final : public Optimizer {
 public:
  std::optional<SlotPlan> slots(ParameterId of, const ParameterInfo& info) override {
    id = of;
    parameter = info;
    if (!info.trainable) return std::nullopt;
    return SlotPlan{true, {{"mean"}, {"rows", SlotLike::row}, {"own", SlotLike::own, {2, 3}}}};
  }
  void step(const std::vector<Piece>& all, const StepInfo& info) override {
    for (const Piece& p : all)
      if (p.master.defined()) p.master.sub_(p.gradient * info.learning_rate);
    pieces = all;
  }
  ParameterId id{};
  ParameterInfo parameter;
  std::vector<Piece> pieces;
};

class CountsTargets final : public Loss {
 public:
  at::Tensor counts(const Batch& batch) const override {
    TORCH_CHECK(batch.has("targets"), "no targets in this batch");
    return batch["targets"].ne(-100).sum();
  }
  void add_terms(UnitContext&, LayerId, const at::Tensor&, const Batch&) override { throw 42; }
};

ParameterInfo full_info() {
  ParameterInfo info;
  info.name = "layers.0.weight";
  info.shape = {4, 6};
  info.units = {1, 3};
  info.role = Role::expert;
  info.axes = {Axis::fused, Axis::in};
  info.fused_parts = {1, 3};
  info.depth = 2;
  info.compute = DType::bfloat16;
  info.trainable = true;
  info.shard_axes = {"ep", "tp"};
  return info;
}

Piece full_piece() {
  Piece p;
  p.parameter = ParameterId(7);
  p.box = {{0, 2}, {4, 4}};
  p.master = at::ones({16});
  p.gradient = at::full({16}, 2.0f);
  p.slots = {at::zeros({16}), at::zeros({4})};
  return p;
}

}  // namespace

TEST_CASE("tensors: cross in place: the same memory, no copies, no counts left behind") {
  Adds object;
  const at::Tensor a = at::ones({3}), b = at::zeros({2});
  Report report;
  conformance::both_ways<OpCall>(object, report, [&](OpCall& op) {
    const TensorList out = op.next({a, b}, {});
    report.expect(out.size() == 2 && out[0].is_same(a) && out[1].is_same(b),
                  "TensorList: the same tensors");
    report.expect(op.next(a, {})[0].is_same(a), "Tensors: one tensor");
    report.expect(op.next(TensorList{a}, b.new_ones({3}))[0].equal(a.add(1)), "Tensors: a list");
    report.expect(op.next({}, {}).empty(), "Tensors: none");
    report.expect(!op.next(at::Tensor(), {})[0].defined(), "Tensors: an undefined one");
  });
  check_no_failures(report);
  CHECK(a.use_count() == 1);
  CHECK(b.use_count() == 1);
}

TEST_CASE("tensors: gradients flow through a crossed call") {
  Adds object;
  Remote<OpCall> op(kit::object_of<OpCall>(object));
  const at::Tensor x = at::ones({3}).requires_grad_(true), w = at::zeros({3}).requires_grad_(true);
  op.next(x, w)[0].mul(2).sum().backward();
  CHECK(x.grad().equal(at::full({3}, 2.0f)));
  CHECK(w.grad().equal(at::full({3}, 2.0f)));
}

TEST_CASE("tensors: several in braces are evaluated from left to right") {
  std::string order;
  const auto make = [&](char name) {
    order += name;
    return at::ones({1});
  };
  Adds object;
  Remote<OpCall> op(kit::object_of<OpCall>(object));
  CHECK(op.next({make('a'), make('b'), make('c')}, {}).size() == 3);
  CHECK(order == "abc");
}

TEST_CASE("structs: a parameter, a piece and a plan of slots arrive as they were sent") {
  Keeps object;
  Report report;
  conformance::both_ways<Optimizer>(object, report, [&](Optimizer& o) {
    const ParameterInfo info = full_info();
    const std::optional<SlotPlan> plan = o.slots(ParameterId(7), info);
    const ParameterInfo& got = object.parameter;
    report.expect(object.id == ParameterId(7), "an id");
    report.expect(got.name == info.name && got.shape == info.shape && got.units == info.units &&
                      got.role == info.role && got.axes == info.axes &&
                      got.fused_parts == info.fused_parts && got.depth == info.depth &&
                      got.master == info.master && got.compute == info.compute && got.trainable &&
                      got.shard_axes == info.shard_axes,
                  "every member of a parameter");
    report.expect(plan && plan->whole_matrix && plan->slots.size() == 3 &&
                      plan->slots[0].name == "mean" && plan->slots[0].like == SlotLike::parameter &&
                      plan->slots[1].like == SlotLike::row && plan->slots[2].shape == Shape{2, 3},
                  "an optional plan with a list inside");
    ParameterInfo frozen = info;
    frozen.trainable = false;
    report.expect(!o.slots(ParameterId(0), frozen), "nothing");
    const Piece sent = full_piece();
    o.step({sent, {}}, {5, at::full({}, 0.5, at::kDouble), at::zeros({})});
    report.expect(sent.master.equal(at::zeros({16})), "a piece's master is written in place");
    const Piece& p = object.pieces.at(0);
    report.expect(p.parameter == sent.parameter && p.box == sent.box &&
                      p.gradient.is_same(sent.gradient) && p.slots.size() == 2 &&
                      p.slots[1].is_same(sent.slots[1]),
                  "every member of a piece");
    report.expect(object.pieces.size() == 2 && !object.pieces[1].master.defined(),
                  "a piece of defaults");
    object.pieces.clear();
  });
  check_no_failures(report);
}

TEST_CASE("batch: names and tensors cross, an absent name is refused with what there is") {
  CountsTargets object;
  Batch batch;
  batch.set("tokens", at::zeros({1, 3}, at::kLong));
  batch.set("targets", at::full({1, 3}, -100, at::kLong));
  batch.set("targets", at::zeros({1, 3}, at::kLong));  // replaces
  const Remote<Loss> loss(kit::object_of<Loss>(object));
  CHECK(batch.entries().size() == 2);
  CHECK(loss.counts(batch).item<std::int64_t>() == 3);
  try {
    static_cast<void>(batch["positions"]);
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::bad_argument);
    CHECK(std::string(e.what()) == "the batch has no positions; it has tokens, targets");
  }
}

TEST_CASE("errors: c10::Error arrives with its type and text, the trace apart") {
  CountsTargets object;
  const Remote<Loss> loss(kit::object_of<Loss>(object));
  try {
    static_cast<void>(loss.counts(Batch{}));
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::failed);
    CHECK(e.type() == "c10::Error");
    CHECK(std::string(e.what()) == "no targets in this batch");
    CHECK(e.trace().find("Exception raised from") != std::string::npos);
  }
}

TEST_CASE("errors: shapes that do not fit in LibTorch arrive as an error that names them") {
  Adds object;
  Remote<OpCall> op(kit::object_of<OpCall>(object));
  try {
    op.next(at::ones({3}), at::ones({4}));
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find("must match") != std::string::npos);
    CHECK(e.type().find("c10::") != std::string::npos);
  }
  CHECK(op.next(at::ones({3}), at::ones({3}))[0].equal(at::full({3}, 2.0f)));
}
