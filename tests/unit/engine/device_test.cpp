// A step on another device than the CPU, without one: tensors of LibTorch's device `meta` have no
// values. An operation between them and tensors of the CPU fails, and so does whatever reads a
// value on the host: what passes here waits for no GPU.

#include <ATen/ATen.h>
#include <torch/library.h>

#include <mortise/model/declaration.hpp>
#include <mortise/model/loss.hpp>
#include <mortise/optim/optimizer.hpp>

#include "host/engine/engine.hpp"
#include "sdk/conformance/parallel/one_rank.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/unit/loaded_component.hpp"

namespace mortise::tests {
namespace {

constexpr std::int64_t kWidth = 8;

// What LibTorch leaves out there of the operations of a step.
at::Tensor dot(const at::Tensor& a, const at::Tensor&) { return at::empty({}, a.options()); }
at::Tensor abs(const at::Tensor& a) { return at::empty_like(a); }
at::Tensor logical_not(const at::Tensor& a) { return at::empty_like(a, at::kBool); }
TORCH_LIBRARY_IMPL(aten, Meta, library) {
  library.impl("dot", &dot);
  library.impl("abs", &abs);
  library.impl("logical_not", &logical_not);
}

// Three units of dense layers over positions.
class DenseModel final : public Model {
 public:
  DenseModel() {
    d_.unit("first");
    first_ = d_.linear("first", 1, kWidth);
    d_.unit("middle", 0);
    up_ = d_.linear("up", kWidth, kWidth, true);
    activation_ = d_.activation("activation", "silu");
    d_.unit("last");
    head_ = d_.linear("head", kWidth, 2, false, Role::head);
  }
  std::vector<ParameterInfo> parameters() const override { return d_.parameters; }
  std::vector<Layer> layers() const override { return d_.layers; }
  Names units() const override { return d_.units; }
  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    if (visit.unit == 0) return {unit(first_, batch["tokens"].to(at::kFloat).unsqueeze(-1))};
    if (visit.unit == 1) return {hidden[0] + unit(activation_, unit(up_, hidden[0]))};
    return {unit.end(head_, hidden[0])};
  }

 private:
  Declaration d_;
  LayerId first_{}, up_{}, activation_{}, head_{};
};

class SquareLoss final : public Loss {
 public:
  at::Tensor counts(const Batch& batch) const override {
    return at::scalar_tensor(batch["tokens"].numel(), at::kLong);
  }
  void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden, const Batch&) override {
    unit.term("loss", unit(head, hidden).square().sum(), Denominator::tokens, 1);
  }
};

// Sees that everything that it gets lies on the device.
class CheckedSgd final : public Optimizer {
 public:
  std::optional<SlotPlan> slots(ParameterId, const ParameterInfo&) override {
    return SlotPlan{false, {{"velocity"}, {"step", SlotLike::scalar}}};
  }
  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    for (const Piece& p : pieces) {
      for (const at::Tensor& t : {p.master, p.gradient, p.slots[0], p.slots[1], info.skip})
        CHECK(t.device().type() == at::kMeta);
      p.slots[1].add_(1 - info.skip);
      p.master.sub_(p.slots[0].mul_(0.9).add_(p.gradient).mul(1 - info.skip));
    }
    ++steps;
  }
  int steps = 0;
};

class CpuInitializer final : public Initializer {
 public:
  void fill(const Piece& piece, const ParameterInfo&, std::uint64_t) override {
    CHECK(piece.master.is_cpu());
    piece.master.fill_(1);
    ++filled;
  }
  int filled = 0;
};

host::RoundBatches rounds_of(std::int64_t count) {
  host::RoundBatches rounds;
  for (std::int64_t k = 0; k != count; ++k) {
    Batch batch;
    batch.set("tokens", at::arange(12, at::kLong).view({3, 4}) + k);
    rounds.emplace_back(std::move(batch));
  }
  return rounds;
}

void check_steps(const std::string& name, const SettingList& settings) {
  CAPTURE(name);
  conformance::OneRankMesh mesh;
  host::WeightGradientQueue queue;
  Surroundings surroundings;
  surroundings.services[Remote<Mesh>::id] = kit::object_of<Mesh>(mesh);
  const LoadedComponent owner(name, name, settings, surroundings);
  Remote<Owner> proxy = owner.as<Owner>();
  DenseModel model;
  SquareLoss loss;
  CheckedSgd sgd;
  CpuInitializer initializer;
  host::EngineSettings settings_of_engine;
  settings_of_engine.clip_norm = 1;
  settings_of_engine.recompute.kind = host::Recompute::Kind::all;
  host::LayoutParts layout{mesh};
  layout.device = at::kMeta;
  host::Engine engine(
      {model, loss, proxy, {}, {{&sgd, "sgd", {}, 0.1}}, {}, std::move(layout), queue},
      std::move(settings_of_engine));
  engine.parameters().initialize(initializer, 1);
  CHECK(initializer.filled == 4);
  for (std::int64_t step = 0; step != 3; ++step) {
    const host::StepOutput output = engine.train({step, 2, rounds_of(2)});
    for (const at::Tensor& t : {output.values, output.norm, output.skip})
      CHECK(t.device().type() == at::kMeta);
    CHECK(output.counts[0].item<std::int64_t>() == 24);
  }
  CHECK(sgd.steps == 3);
}

}  // namespace

TEST_CASE("engine: a step on a device mixes in nothing of the CPU and reads nothing back") {
  for (const char* reduction : {"step", "micro_batch"}) {
    check_steps("ddp", {{"reduction", reduction}});
    for (const bool reshard : {false, true})
      check_steps("fsdp", {{"reduction", reduction}, {"reshard", reshard}});
  }
}

}  // namespace mortise::tests
