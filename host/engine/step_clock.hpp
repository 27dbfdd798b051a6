#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace mortise::host {

enum class StepPhase { forward, backward, communication, optimizer, data_wait, host };
inline constexpr std::size_t kStepPhases = 6;

// What each phase took of one step.
struct StepTimes {
  std::array<std::chrono::nanoseconds, kStepPhases> phases{};
  std::chrono::nanoseconds of(StepPhase phase) const { return phases[std::size_t(phase)]; }
  std::chrono::nanoseconds total() const;
};

// Splits the time of a step. At every moment exactly one phase runs, so that the phases add up to
// the step; time in collectives is communication, whichever phase they interrupt.
//
// It reads the host's clock (30 ns) and waits for no device: where kernels run behind the host, it
// tells how long the host took to issue them.
class StepClock {
 public:
  void enter(StepPhase phase);
  // Ends a step; the next one begins in phase `host`.
  StepTimes lap();

 private:
  using Clock = std::chrono::steady_clock;
  StepTimes times_;
  StepPhase phase_ = StepPhase::host;
  Clock::time_point entered_ = Clock::now();
  std::chrono::nanoseconds in_collectives_{0};  // of this thread when the phase was entered
};

}  // namespace mortise::host
