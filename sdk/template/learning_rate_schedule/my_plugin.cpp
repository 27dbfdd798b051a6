// Learning-rate schedule: a linear rise, then 1 / sqrt(step) (Vaswani et al. 2017).

#include <algorithm>
#include <cmath>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>

namespace {

using mortise::field;

class MyPlugin final : public mortise::LearningRateSchedule {
 public:
  struct Config {
    mortise::Amount warmup = mortise::percent(5);

    static constexpr auto settings() {
      return mortise::fields(
          field("warmup", &Config::warmup).amount().doc("length of the rise: steps, %, tokens"));
    }
  };

  explicit MyPlugin(const Config& config) : config_(config) {}

  double factor(const mortise::Progress& progress) const override {
    const auto done = double(std::min(progress.step, progress.total_steps) + 1);
    const auto warmup = double(std::max<std::int64_t>(1, config_.warmup.in_steps(progress)));
    return std::min(done / warmup, std::sqrt(warmup / done));
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::LearningRateSchedule>(
                   "my_plugin", "a linear rise, then 1 / sqrt(step)"));
