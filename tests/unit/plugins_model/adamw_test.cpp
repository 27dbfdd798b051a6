#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <limits>
#include <mortise/optim/optimizer.hpp>

#include "checks.hpp"
#include "golden.hpp"
#include "loaded.hpp"

namespace mortise::tests {
namespace {

struct Kind {
  const char* name;
  std::int64_t count;
  Role role;
};
constexpr Kind kKinds[] = {{"matrix", 35, Role::matrix},
                           {"norm", 16, Role::norm},
                           {"embedding", 33, Role::embedding},
                           {"other", 1, Role::other}};

// Padded to 16 as an owner pads.
at::Tensor padded(const at::Tensor& values) {
  const at::Tensor all = at::zeros({(values.numel() + 15) / 16 * 16});
  all.narrow(0, 0, values.numel()).copy_(values);
  return all;
}

std::vector<Piece> pieces_for(Optimizer& optimizer) {
  std::vector<Piece> pieces;
  for (const Kind& kind : kKinds) {
    const auto number = std::int64_t(pieces.size());
    ParameterInfo info;
    info.name = kind.name;
    info.shape = {kind.count};
    info.role = kind.role;
    const SlotPlan plan = optimizer.slots(ParameterId(number), info).value();
    Piece piece{.parameter = ParameterId(number), .box = {{0}, {kind.count}}};
    piece.master = padded(noise_tensor(std::uint64_t(number), {kind.count}));
    for (const Slot& slot : plan.slots)
      piece.slots.push_back(slot.like == SlotLike::scalar ? at::zeros({})
                                                          : at::zeros_like(piece.master));
    pieces.push_back(piece);
  }
  return pieces;
}

void give_gradients(std::vector<Piece>& pieces, std::int64_t step) {
  for (std::size_t i = 0; i != pieces.size(); ++i)
    pieces[i].gradient =
        padded(noise_tensor(std::uint64_t(100 + 10 * step) + i, {kKinds[i].count}));
}

StepInfo info_of(double rate, float skip = 0) {
  return {.learning_rate = at::scalar_tensor(rate, at::kDouble),
          .skip = at::scalar_tensor(skip, at::kFloat)};
}

}  // namespace

TEST_CASE("adamw: weights and slots after ten steps are those of torch.optim.AdamW") {
  for (const std::string golden_name : {"adamw", "adamw_other"}) {
    CAPTURE(golden_name);
    Settings settings;
    if (golden_name == "adamw_other") {
      settings.set("betas", std::vector<double>{0.8, 0.999}).set("epsilon", 1e-3);
      settings.set("weight_decay", 0.3).set("no_decay", std::vector<const char*>{"matrix"});
    }
    const Golden golden = read_golden(golden_name);
    const Loaded<Optimizer> optimizer("adamw", std::move(settings));
    std::vector<Piece> pieces = pieces_for(*optimizer);
    for (std::int64_t step = 0; step != 10; ++step) {
      give_gradients(pieces, step);
      optimizer->step(pieces, info_of(1e-2 * double(step + 1) / 10));
    }
    for (std::size_t i = 0; i != pieces.size(); ++i) {
      const std::string name = kKinds[i].name;
      CAPTURE(name);
      const auto front = [&](const at::Tensor& t) { return t.narrow(0, 0, kKinds[i].count); };
      CHECK(distance(front(pieces[i].master), golden.at(name)) < 1e-6);
      CHECK(distance(front(pieces[i].slots[0]), golden.at("exp_avg:" + name)) < 1e-6);
      CHECK(distance(front(pieces[i].slots[1]), golden.at("exp_avg_sq:" + name)) < 1e-6);
      CHECK(pieces[i].slots[2].item<float>() == 10);
    }
  }
}

TEST_CASE("adamw: a whole number of vectors has the bits of torch.optim.AdamW(fused=True)") {
  const Loaded<Optimizer> optimizer("adamw");
  std::vector<Piece> pieces = pieces_for(*optimizer);
  for (std::int64_t step = 0; step != 10; ++step) {
    give_gradients(pieces, step);
    optimizer->step(pieces, info_of(1e-2 * double(step + 1) / 10));
  }
  CHECK(at::equal(pieces[1].master, read_golden("adamw").at("norm")));
}

TEST_CASE("adamw: a skipped step leaves every bit as it was") {
  const Loaded<Optimizer> optimizer("adamw");
  std::vector<Piece> pieces = pieces_for(*optimizer);
  give_gradients(pieces, 0);
  optimizer->step(pieces, info_of(1e-2));
  std::vector<TensorList> before;
  for (const Piece& p : pieces) {
    before.push_back({p.master.clone()});
    for (const at::Tensor& slot : p.slots) before.back().push_back(slot.clone());
  }
  for (const float bad :
       {0.5f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (Piece& p : pieces) p.gradient = at::full({p.master.numel()}, bad);
    optimizer->step(pieces, info_of(1e-2, 1));
    for (std::size_t i = 0; i != pieces.size(); ++i) {
      CHECK(at::equal(pieces[i].master, before[i][0]));
      for (std::size_t s = 0; s != 3; ++s) CHECK(at::equal(pieces[i].slots[s], before[i][s + 1]));
    }
  }
  optimizer->step(pieces, info_of(1e-2, 0));  // and the flag is not remembered
  CHECK(pieces[0].slots[2].item<float>() == 2);
}

TEST_CASE("adamw: only the roles that are not excluded decay") {
  const auto after = [](const Settings& settings) {
    const Loaded<Optimizer> optimizer("adamw", settings);
    std::vector<Piece> pieces = pieces_for(*optimizer);
    for (Piece& p : pieces) p.gradient = at::zeros_like(p.master);
    const std::vector<Piece> before = pieces_for(*optimizer);
    optimizer->step(pieces, info_of(1));
    std::vector<double> shares;
    for (std::size_t i = 0; i != pieces.size(); ++i)
      shares.push_back(pieces[i].master[0].item<double>() / before[i].master[0].item<double>());
    return shares;
  };
  const auto expect = [](const std::vector<double>& shares, std::vector<double> wanted) {
    for (std::size_t i = 0; i != wanted.size(); ++i) CHECK(shares[i] == doctest::Approx(wanted[i]));
  };
  expect(after(Settings()), {0.9, 1, 1, 0.9});
  expect(
      after(
          Settings().set("weight_decay", 0.5).set("no_decay", std::vector<const char*>{"matrix"})),
      {1, 0.5, 0.5, 0.5});
}

TEST_CASE("adamw: empty pieces are passed over") {
  const Loaded<Optimizer> optimizer("adamw");
  std::vector<Piece> pieces = pieces_for(*optimizer);
  give_gradients(pieces, 0);
  pieces[0].master = pieces[0].gradient = pieces[0].slots[0] = pieces[0].slots[1] = at::zeros({0});
  optimizer->step(pieces, info_of(1e-2));
  CHECK(pieces[0].slots[2].item<float>() == 0);
  CHECK(pieces[1].slots[2].item<float>() == 1);
  optimizer->step({}, info_of(1e-2));
}

TEST_CASE("adamw: settings that make no sense are refused") {
  CHECK_THROWS_WITH_AS(
      Loaded<Optimizer>("adamw", Settings().set("betas", std::vector<double>{0.9, 1.0})),
      "betas must be in [0, 1)", Error);
}

}  // namespace mortise::tests
