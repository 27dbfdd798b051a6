// Learning-rate schedule: the full rate, after a linear warm-up if there is one.

#include <algorithm>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

class Constant final : public LearningRateSchedule {
 public:
  struct Config {
    Amount warmup = steps(0);

    static constexpr auto settings() {
      return fields(field("warmup", &Config::warmup)
                        .amount()
                        .doc("length of the linear rise")
                        .known_as("warmup_steps", "warmup_iters", "num_warmup_steps"));
    }
  };

  explicit Constant(const Config& config) : config_(config) {}

  double factor(const Progress& progress) const override {
    const std::int64_t warmup = config_.warmup.in_steps(progress);
    const std::int64_t done = std::min(progress.step + 1, progress.total_steps);
    return done < warmup ? double(done) / double(warmup) : 1;
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.constant", MORTISE_VERSION,
               component<Constant, LearningRateSchedule>("constant", "the full rate all along"));
