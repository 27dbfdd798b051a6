#include "host/engine/step_clock.hpp"

#include <numeric>
#include <utility>

#include "host/distributed/collective_time.hpp"

namespace mortise::host {

std::chrono::nanoseconds StepTimes::total() const {
  return std::accumulate(phases.begin(), phases.end(), std::chrono::nanoseconds(0));
}

void StepClock::enter(StepPhase phase) {
  const Clock::time_point now = Clock::now();
  const std::chrono::nanoseconds in_collectives = time_in_collectives();
  const auto waited = in_collectives - in_collectives_;
  times_.phases[std::size_t(StepPhase::communication)] += waited;
  times_.phases[std::size_t(phase_)] += now - entered_ - waited;
  phase_ = phase;
  entered_ = now;
  in_collectives_ = in_collectives;
}

StepTimes StepClock::lap() {
  enter(StepPhase::host);
  return std::exchange(times_, {});
}

}  // namespace mortise::host
