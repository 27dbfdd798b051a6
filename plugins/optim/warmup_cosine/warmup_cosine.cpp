// Learning-rate schedule: linear warm-up, then cosine decay to a floor (Loshchilov & Hutter 2017,
// without restarts).

#include <cmath>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>
#include <numbers>

namespace {

using namespace mortise;

class WarmupCosine final : public LearningRateSchedule {
 public:
  struct Config {
    Amount warmup = percent(2);
    double final = 0.1;

    static constexpr auto settings() {
      return fields(field("warmup", &Config::warmup)
                        .amount()
                        .doc("length of the linear rise")
                        .known_as("warmup_steps", "warmup_iters", "num_warmup_steps"),
                    field("final", &Config::final)
                        .between(0, 1)
                        .doc("factor at the end of the run")
                        .known_as("min_lr_ratio", "min_factor"));
    }
  };

  explicit WarmupCosine(const Config& config) : config_(config) {}

  double factor(const Progress& progress) const override {
    const std::int64_t warmup = config_.warmup.in_steps(progress);
    if (progress.step >= progress.total_steps) return config_.final;
    if (progress.step < warmup) return double(progress.step + 1) / double(warmup);
    const double done = double(progress.step - warmup) / double(progress.total_steps - warmup);
    return config_.final + (1 - config_.final) * 0.5 * (1 + std::cos(std::numbers::pi * done));
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.warmup_cosine", MORTISE_VERSION,
               component<WarmupCosine, LearningRateSchedule>(
                   "warmup_cosine", "linear warm-up, cosine decay to a floor"));
