#include <algorithm>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>

namespace {

using mortise::field;

class Warmup final : public mortise::LearningRateSchedule {
 public:
  struct Config {
    double peak = 1.0;
    std::int64_t warmup = 100;

    static constexpr auto settings() {
      return mortise::fields(
          field("peak", &Config::peak).at_least(0).doc("factor after the rise"),
          field("warmup", &Config::warmup).at_least(1).unit("steps").doc("length of the rise"));
    }
  };

  explicit Warmup(const Config& config) : config_(config) {}

  double factor(const mortise::Progress& progress) const override {
    return config_.peak * std::min(1.0, double(progress.step + 1) / double(config_.warmup));
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.example.warmup", MORTISE_VERSION,
               mortise::component<Warmup, mortise::LearningRateSchedule>(
                   "warmup", "linear rise to a constant factor"));
