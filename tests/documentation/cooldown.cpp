// Learning-rate schedule: constant, then a linear cool-down to zero over the last part of the run.

#include <algorithm>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>

namespace {

using mortise::field;

class Cooldown final : public mortise::LearningRateSchedule {
 public:
  struct Config {
    mortise::Amount length = mortise::percent(20);

    static constexpr auto settings() {
      return mortise::fields(field("length", &Config::length)
                                 .amount()
                                 .doc("how long the rate falls at the end of the run"));
    }
  };

  explicit Cooldown(const Config& config) : config_(config) {}

  double factor(const mortise::Progress& progress) const override {
    const double left = double(progress.total_steps - progress.step);
    const double length = double(std::max<std::int64_t>(1, config_.length.in_steps(progress)));
    return std::clamp(left / length, 0.0, 1.0);
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.example.cooldown", "1.0.0",
               mortise::component<Cooldown, mortise::LearningRateSchedule>(
                   "cooldown", "constant, then a linear fall to zero"));
