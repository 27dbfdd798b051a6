// The shortest optimizer: passes tensors, so it is torch-locked. NAME is its key.

#include <ATen/ops/sub.h>

#include <mortise/optim/optimizer.hpp>
#include <mortise/plugin.hpp>

namespace {

class Sgd final : public mortise::Optimizer {
 public:
  std::optional<mortise::SlotPlan> slots(mortise::ParameterId,
                                         const mortise::ParameterInfo&) override {
    return mortise::SlotPlan{};
  }
  void step(const std::vector<mortise::Piece>& pieces, const mortise::StepInfo& info) override {
    const double rate = info.learning_rate.item<double>() * (1 - info.skip.item<double>());
    for (const mortise::Piece& piece : pieces) piece.master.sub_(piece.gradient, rate);
  }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.test." NAME, "1.0.0",
               mortise::component<Sgd, mortise::Optimizer>(NAME, "gradient descent"));
