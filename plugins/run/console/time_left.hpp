#pragma once

#include <cstdint>
#include <optional>

namespace mortise::console {

// How long a run still takes at the pace since its first record, whatever happened in between:
// evaluations and checkpoints will come again.
class TimeLeft {
 public:
  std::optional<double> after(std::int64_t step, std::int64_t total_steps, double now_seconds) {
    if (!first_step_) {
      first_step_ = step;
      begin_seconds_ = now_seconds;
    }
    if (step <= *first_step_ || total_steps <= 0) return std::nullopt;
    const double pace = (now_seconds - begin_seconds_) / double(step - *first_step_);
    return pace * double(total_steps - step);
  }

 private:
  std::optional<std::int64_t> first_step_;
  double begin_seconds_ = 0;
};

}  // namespace mortise::console
