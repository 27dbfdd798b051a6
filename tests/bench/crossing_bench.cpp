// What a call through the tables costs above a direct one: minima of many rounds, in nanoseconds.

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <mortise/data/tokenizer.hpp>
#include <mortise/model/model.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>

#include "tests/unit/loaded_component.hpp"

namespace {

using namespace mortise;

// Gives its inputs back: everything that is measured is the call.
class IdentityContext final : public UnitContext {
 public:
  TensorList apply(LayerId, Tensors inputs) override { return {inputs[0]}; }
  at::Tensor end(LayerId, const at::Tensor& hidden) override { return hidden; }
  at::Tensor parameter(ParameterId) override { return {}; }
  at::Tensor buffer(std::string_view) override { return {}; }
  void term(std::string_view, const at::Tensor&, Denominator, double) override {}
  void update(std::string_view, const at::Tensor&) override {}
  void record(std::string_view, const at::Tensor&) override {}
};

// Gives its hidden tensors back.
class IdentityModel final : public Model {
 public:
  std::vector<ParameterInfo> parameters() const override { return {}; }
  std::vector<Layer> layers() const override { return {}; }
  Names units() const override { return {"unit"}; }
  TensorList forward_unit(const Visit&, UnitContext&, Tensors hidden, const Batch&) override {
    return {hidden[0]};
  }
};

double nanoseconds(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int round = 0; round != 30; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i != 20000; ++i) call();
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    best = std::min(best, spent.count() / 20000);
  }
  return best;
}

void compare(const char* what, const std::function<void()>& direct,
             const std::function<void()>& crossed) {
  const double a = nanoseconds(direct), b = nanoseconds(crossed);
  std::printf("%-54s direct %6.1f ns   crossed %6.1f ns   above %6.1f ns\n", what, a, b, b - a);
}

}  // namespace

int main() {
  const tests::LoadedComponent cosine("warmup_cosine", "warmup_cosine");
  const tests::LoadedComponent byte("byte_tokenizer", "byte");
  volatile double kept = 0;

  auto& schedule = cosine.in_place<LearningRateSchedule>();
  const auto schedule_proxy = cosine.as<LearningRateSchedule>();
  const Progress progress{70, 300};
  compare(
      "learning_rate_schedule: factor", [&] { kept = schedule.factor(progress); },
      [&] { kept = schedule_proxy.factor(progress); });

  auto& tokenizer = byte.in_place<Tokenizer>();
  const auto tokenizer_proxy = byte.as<Tokenizer>();
  const std::string text(100, 'a');
  compare(
      "tokenizer: encode 100 bytes", [&] { kept = double(tokenizer.encode(text).size()); },
      [&] { kept = double(tokenizer_proxy.encode(text).size()); });

  IdentityContext identity;
  Remote<UnitContext> identity_proxy(kit::object_of(static_cast<UnitContext&>(identity)));
  const at::Tensor x = at::zeros({8});
  compare(
      "unit_context: apply, one tensor in and out",
      [&] { kept = double(identity.apply(LayerId(0), x).size()); },
      [&] { kept = double(identity_proxy.apply(LayerId(0), x).size()); });

  IdentityModel model;
  Remote<Model> model_proxy(kit::object_of(static_cast<Model&>(model)));
  Batch batch;
  for (const char* name : {"tokens", "targets", "positions"}) batch.set(name, x);
  compare(
      "model: forward_unit, with context and a batch of three",
      [&] { kept = double(model.forward_unit({}, identity, x, batch).size()); },
      [&] { kept = double(model_proxy.forward_unit({}, identity, x, batch).size()); });
}
