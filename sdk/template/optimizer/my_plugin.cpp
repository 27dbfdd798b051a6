// Optimizer: gradient descent with momentum.

#include <ATen/core/Tensor.h>
#include <ATen/ops/where.h>

#include <mortise/optim/optimizer.hpp>
#include <mortise/plugin.hpp>

namespace {

using mortise::field;

class MyPlugin final : public mortise::Optimizer {
 public:
  struct Config {
    double momentum = 0.9;

    static constexpr auto settings() {
      return mortise::fields(field("momentum", &Config::momentum)
                                 .between(0, 1)
                                 .doc("share of the last update that stays in the next"));
    }
  };

  explicit MyPlugin(const Config& config) : config_(config) {}

  std::optional<mortise::SlotPlan> slots(mortise::ParameterId,
                                         const mortise::ParameterInfo&) override {
    return mortise::SlotPlan{.slots = {{.name = "velocity"}}};
  }

  // A step that is to be skipped changes nothing, and its gradients may be anything: chosen by a
  // tensor, so that nothing waits for the device.
  void step(const std::vector<mortise::Piece>& pieces, const mortise::StepInfo& info) override {
    const at::Tensor skip = info.skip.ne(0), rate = info.learning_rate.to(at::kFloat);
    for (const mortise::Piece& piece : pieces) {
      const at::Tensor& velocity = piece.slots[0];
      const at::Tensor next = velocity.mul(config_.momentum).add(piece.gradient);
      velocity.copy_(at::where(skip, velocity, next));
      piece.master.copy_(at::where(skip, piece.master, piece.master.sub(next.mul(rate))));
    }
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::Optimizer>("my_plugin",
                                                                "gradient descent with momentum"));
