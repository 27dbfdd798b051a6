// Optimizer: Adam with decoupled weight decay (Kingma & Ba 2015; Loshchilov & Hutter 2019), by
// LibTorch's fused kernel.

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adamw.h>

#include <algorithm>
#include <array>
#include <mortise/optim/optimizer.hpp>
#include <mortise/plugin.hpp>
#include <string>
#include <unordered_map>

namespace {

using namespace mortise;

class AdamW final : public Optimizer {
 public:
  struct Config {
    std::array<double, 2> betas = {0.9, 0.95};
    double epsilon = 1e-8, weight_decay = 0.1;
    std::vector<Role> no_decay = {Role::norm, Role::bias, Role::embedding};

    static constexpr auto settings() {
      return fields(field("betas", &Config::betas)
                        .doc("decay of the running means of gradient and squared gradient")
                        .known_as("beta1", "beta2", "adam_beta1", "adam_beta2"),
                    field("epsilon", &Config::epsilon)
                        .at_least(0)
                        .doc("added to the root in the denominator")
                        .known_as("eps", "adam_epsilon"),
                    field("weight_decay", &Config::weight_decay)
                        .at_least(0)
                        .doc("share of a weight that goes in one step, times the learning rate")
                        .known_as("wd", "decay"),
                    field("no_decay", &Config::no_decay)
                        .choice("matrix", Role::matrix)
                        .choice("embedding", Role::embedding)
                        .choice("head", Role::head)
                        .choice("norm", Role::norm)
                        .choice("bias", Role::bias)
                        .choice("scale", Role::scale)
                        .choice("expert", Role::expert)
                        .choice("other", Role::other)
                        .doc("roles of parameters without weight decay"));
    }
  };

  explicit AdamW(const Config& config) : config_(config) {
    for (const double beta : config.betas)
      if (!(beta >= 0 && beta < 1)) throw ConfigError("betas must be in [0, 1)");
  }

  std::optional<SlotPlan> slots(ParameterId id, const ParameterInfo& parameter) override {
    const auto& excluded = config_.no_decay;
    decays_[id] = std::find(excluded.begin(), excluded.end(), parameter.role) == excluded.end();
    return SlotPlan{.slots = {{.name = "exp_avg"},
                              {.name = "exp_avg_sq"},
                              {.name = "step", .like = SlotLike::scalar}}};
  }

  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    Lists decayed, others;
    for (const Piece& piece : pieces) {
      if (piece.master.numel() == 0) continue;
      (decays_.at(piece.parameter) ? decayed : others).add(piece);
    }
    update(decayed, config_.weight_decay, info);
    update(others, 0, info);
  }

 private:
  struct Lists {
    TensorList masters, gradients, means, squares, steps;
    void add(const Piece& piece) {
      masters.push_back(piece.master);
      gradients.push_back(piece.gradient);
      means.push_back(piece.slots[0]);
      squares.push_back(piece.slots[1]);
      steps.push_back(piece.slots[2]);
    }
  };

  // The kernel does nothing at all when found_inf is 1; only the count is ours to hold back. It
  // reads the rate on the CPU in float64, elsewhere from float32 memory.
  void update(const Lists& all, double weight_decay, const StepInfo& info) const {
    if (all.masters.empty()) return;
    at::_foreach_add_(all.steps, info.skip.neg().add(1));
    const at::Tensor rate =
        info.learning_rate.is_cpu() ? info.learning_rate : info.learning_rate.to(at::kFloat);
    at::_fused_adamw_(all.masters, all.gradients, all.means, all.squares, {}, all.steps, rate,
                      config_.betas[0], config_.betas[1], weight_decay, config_.epsilon,
                      /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, info.skip);
  }

  Config config_;
  std::unordered_map<ParameterId, bool> decays_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.adamw", MORTISE_VERSION,
               component<AdamW, Optimizer>("adamw", "Adam with decoupled weight decay"));
