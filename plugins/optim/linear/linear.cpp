// Learning-rate schedule: linear warm-up, then linear decay to a floor.

#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

class Linear final : public LearningRateSchedule {
 public:
  struct Config {
    Amount warmup = percent(2);
    double final = 0;

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

  explicit Linear(const Config& config) : config_(config) {}

  double factor(const Progress& progress) const override {
    const std::int64_t warmup = config_.warmup.in_steps(progress);
    if (progress.step >= progress.total_steps) return config_.final;
    if (progress.step < warmup) return double(progress.step + 1) / double(warmup);
    const double left =
        double(progress.total_steps - progress.step) / double(progress.total_steps - warmup);
    return config_.final + (1 - config_.final) * left;
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.linear", MORTISE_VERSION,
               component<Linear, LearningRateSchedule>("linear",
                                                       "linear warm-up, linear decay to a floor"));
