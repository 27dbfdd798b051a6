#include "host/engine/step_clock.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "host/distributed/collective_time.hpp"
#include "host/training/performance.hpp"

namespace {

using namespace mortise::host;
using namespace std::chrono_literals;

double value(const mortise::StepRecord& record, const std::string& name) {
  for (const mortise::Metric& m : record.values)
    if (m.name == name) return m.value;
  FAIL("no " << name);
  return 0;
}

}  // namespace

TEST_CASE("step clock: each phase gets its own time and they add up to the step") {
  StepClock clock;
  std::this_thread::sleep_for(2ms);
  clock.lap();
  const auto begin = std::chrono::steady_clock::now();
  clock.enter(StepPhase::data_wait);
  std::this_thread::sleep_for(3ms);
  clock.enter(StepPhase::forward);
  std::this_thread::sleep_for(4ms);
  clock.enter(StepPhase::backward);
  std::this_thread::sleep_for(5ms);
  clock.enter(StepPhase::forward);  // of the next micro-batch: added
  std::this_thread::sleep_for(4ms);
  clock.enter(StepPhase::optimizer);
  std::this_thread::sleep_for(2ms);
  const StepTimes times = clock.lap();
  const auto passed = std::chrono::steady_clock::now() - begin;
  CHECK(times.of(StepPhase::data_wait) >= 3ms);
  CHECK(times.of(StepPhase::forward) >= 8ms);
  CHECK(times.of(StepPhase::backward) >= 5ms);
  CHECK(times.of(StepPhase::optimizer) >= 2ms);
  CHECK(times.of(StepPhase::communication) == 0ms);
  CHECK(times.total() >= 18ms);
  CHECK(times.total() <= passed + 1ms);  // the 2 ms before the first lap are not of this step
  CHECK(clock.lap().total() < times.total());
}

TEST_CASE("step clock: time in a collective is communication, whichever phase it interrupts") {
  const auto begin = std::chrono::steady_clock::now();
  StepClock clock;
  clock.enter(StepPhase::backward);
  std::this_thread::sleep_for(2ms);
  {
    const InCollective collective;
    std::this_thread::sleep_for(4ms);
  }
  clock.enter(StepPhase::forward);
  {
    const InCollective collective;
    std::this_thread::sleep_for(4ms);
  }
  std::thread([] {
    const InCollective elsewhere;  // another thread's wait does not hold up the step
    std::this_thread::sleep_for(4ms);
  }).join();
  const StepTimes times = clock.lap();
  CHECK(times.total() <= std::chrono::steady_clock::now() - begin);  // nothing is counted twice
  CHECK(times.of(StepPhase::communication) >= 8ms);
  CHECK(times.of(StepPhase::forward) >= 4ms);
  CHECK(times.of(StepPhase::forward) < times.total() - times.of(StepPhase::communication));
}

TEST_CASE("performance: a record holds the parts, the rate and the share of the peak") {
  StepTimes times;
  times.phases = {10ms, 20ms, 5ms, 3ms, 1ms, 1ms};
  mortise::StepRecord record;
  Performance{2048, 4e9, 1e12}.add(times, record);
  CHECK(value(record, "perf/step_ms") == doctest::Approx(40));
  CHECK(value(record, "perf/forward_ms") == 10);
  CHECK(value(record, "perf/backward_ms") == 20);
  CHECK(value(record, "perf/communication_ms") == 5);
  CHECK(value(record, "perf/optimizer_ms") == 3);
  CHECK(value(record, "perf/data_wait_ms") == 1);
  CHECK(value(record, "perf/host_ms") == 1);
  CHECK(value(record, "perf/tokens_per_second") == doctest::Approx(51200));
  CHECK(value(record, "perf/mfu") == doctest::Approx(0.1));
}
