// The suites of losses, initializers, optimizers and owners can fail: one fault each.

#include <functional>

#include "sdk/conformance/model/initializer_contract.hpp"
#include "sdk/conformance/model/loss_contract.hpp"
#include "sdk/conformance/optim/optimizer_contract.hpp"
#include "sdk/conformance/parallel/owner_contract.hpp"
#include "tests/contract/one_rank_owner.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

class HookedInitializer final : public Initializer {
 public:
  void fill(const Piece& piece, const ParameterInfo& info, std::uint64_t seed) override {
    const at::Tensor whole = conformance::sample_values(
        (by_name ? info.name : "") + (by_seed ? std::to_string(seed) : ""), info.shape);
    at::Tensor part = conformance::part_of(whole, piece.box);
    if (by_box) part = part.add(double(piece.box.count()));
    conformance::front_of(piece.master, piece.box).copy_(part);
    if (overruns && piece.master.numel() > piece.box.count()) piece.master[-1].fill_(1);
  }
  bool by_name = true, by_seed = true, by_box = false, overruns = false;
};

// Momentum.
class HookedOptimizer final : public Optimizer {
 public:
  std::optional<SlotPlan> slots(ParameterId, const ParameterInfo&) override {
    return SlotPlan{false, {{"momentum"}}};
  }
  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    for (const Piece& p : pieces) {
      if (fails_on_empty && p.master.numel() == 0) throw std::runtime_error("nothing to do");
      const at::Tensor taken = at::where(info.skip.eq(1), at::zeros_like(p.gradient), p.gradient);
      const at::Tensor keep = skips ? info.skip : at::zeros_like(info.skip);
      p.slots[0].copy_(at::where(keep.eq(1), p.slots[0], p.slots[0].mul(0.9).add(taken)));
      p.master.sub_(p.slots[0] * info.learning_rate * (1 - keep));
      if (pads && p.master.numel() > 0) p.master.sub_(1e-3f);
      if (scales_gradient) p.gradient.mul_(2);
      if (remembers) p.master.add_(float(steps_++) * 1e-3f);
    }
  }
  bool skips = true, pads = false, scales_gradient = false, remembers = false,
       fails_on_empty = false;

 private:
  int steps_ = 0;
};

class HookedLoss final : public Loss {
 public:
  at::Tensor counts(const Batch& batch) const override {
    return counts_all ? at::full({}, batch["targets"].numel(), at::kLong)
                      : batch["targets"].ne(-100).sum();
  }
  void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden,
                 const Batch& batch) override {
    const at::Tensor targets = batch["targets"], counted = targets.ne(-100);
    const at::Tensor each = unit(head, hidden)
                                .log_softmax(-1)
                                .gather(-1, targets.clamp_min(0).unsqueeze(-1))
                                .squeeze(-1)
                                .neg();
    at::Tensor sum = counts_all ? each.sum() : each.mul(counted).sum();
    if (is_mean) sum = sum.div(counted.sum());
    if (wrong_gradient) sum = sum.mul(2).sub(sum.detach());
    unit.term("loss", sum, Denominator::tokens, 1);
  }
  bool counts_all = false, is_mean = false, wrong_gradient = false;
};

template <class T, class Check>
void expect_found(const char* part, const std::function<void(T&)>& fault, Check check) {
  CAPTURE(std::string(part));
  T object;
  fault(object);
  Report report;
  check(object, report);
  INFO(report.text());
  CHECK(found(report, part));
}

}  // namespace

TEST_CASE("faults: the suite of initializers finds each") {
  const auto check = [](Initializer& i, Report& r) {
    conformance::check_initializer_contract(i, r);
  };
  HookedInitializer good;
  Report report;
  conformance::both_ways<Initializer>(good, report, [&](Initializer& i) { check(i, report); });
  check_no_failures(report);
  const auto finds = [&](const char* part, const std::function<void(HookedInitializer&)>& fault) {
    expect_found<HookedInitializer>(part, fault, check);
  };
  finds("does not depend on how the parameter is cut", [](auto& i) { i.by_box = true; });
  finds("padding stays zero", [](auto& i) { i.overruns = true; });
  finds("another seed gives other values", [](auto& i) { i.by_seed = false; });
  finds("another name gives other values", [](auto& i) { i.by_name = false; });
}

TEST_CASE("faults: the suite of optimizers finds each") {
  const auto check = [](Optimizer& o, Report& r) { conformance::check_optimizer_contract(o, r); };
  HookedOptimizer good;
  Report report;
  conformance::both_ways<Optimizer>(good, report, [&](Optimizer& o) { check(o, report); });
  check_no_failures(report);
  const auto finds = [&](const char* part, const std::function<void(HookedOptimizer&)>& fault) {
    expect_found<HookedOptimizer>(part, fault, check);
  };
  finds("when skip is 1, masters and slots stay untouched", [](auto& o) { o.skips = false; });
  finds("padding of a master stays zero", [](auto& o) { o.pads = true; });
  finds("gradients are read, never written", [](auto& o) { o.scales_gradient = true; });
  finds("all state lies in masters and slots", [](auto& o) { o.remembers = true; });
  finds("empty pieces: threw nothing to do", [](auto& o) { o.fails_on_empty = true; });
}

TEST_CASE("faults: the suite of losses finds each") {
  const auto check = [](Loss& l, Report& r) { conformance::check_loss_contract(l, r); };
  HookedLoss good;
  Report report;
  conformance::both_ways<Loss>(good, report, [&](Loss& l) { check(l, report); });
  check_no_failures(report);
  const auto finds = [&](const char* part, const std::function<void(HookedLoss&)>& fault) {
    expect_found<HookedLoss>(part, fault, check);
  };
  finds("how many targets are not -100", [](auto& l) { l.counts_all = true; });
  finds("a target of -100 gives no gradient", [](auto& l) { l.counts_all = true; });
  finds("the parts of a batch add up to the whole", [](auto& l) { l.is_mean = true; });
  finds("gradients equal finite differences", [](auto& l) { l.wrong_gradient = true; });
}

TEST_CASE("faults: the suite of owners finds each") {
  const auto check = [](Owner& o, Report& r) { conformance::check_owner_contract(o, r); };
  for (const bool crossed : {false, true}) {
    OneRankOwner good;
    Remote<Owner> proxy(kit::object_of<Owner>(good));
    Report report;
    check(crossed ? static_cast<Owner&>(proxy) : good, report);
    check_no_failures(report);
  }
  const auto finds = [&](const char* part, const std::function<void(OneRankOwner&)>& fault) {
    expect_found<OneRankOwner>(part, fault, check);
  };
  finds("layers.0.up.bias: plan: places each parameter once",
        [](auto& o) { o.leaves_out = ParameterId(2); });
  finds("cover each element exactly once", [](auto& o) { o.forgets_a_piece = true; });
  finds("are padded to a multiple of 16", [](auto& o) { o.pads = false; });
  finds("the sum over micro-batches and units of this step", [](auto& o) { o.begins = false; });
  finds("embed.weight: finish_gradients: the gradient is the sum",
        [](auto& o) { o.joins_uses = false; });
  finds("norm_part: the sum of |g|^p", [](auto& o) { o.rooted = true; });
  finds("norm_part: is 0-d float64", [](auto& o) { o.narrow_norm = true; });
  finds("before: the unit's parameters hold the masters", [](auto& o) { o.copies_once = true; });
}
