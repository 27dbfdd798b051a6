#pragma once

#include <mortise/c/learning_rate_schedule.h>

#include <mortise/amount.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Scales the learning rate of every optimizer over a run.
///
/// The engine asks once per optimizer step, before the step is applied, and multiplies each
/// optimizer's own `learning_rate` by the answer.
///
/// Units:   the result is a factor, usually in [0, 1].
/// Errors:  construction throws ConfigError.
/// Threads: immutable after construction; any thread may call.
/// Ranks:   local; equal inputs give equal factors on every rank.
class LearningRateSchedule : public Interface {
 public:
  /// The factor at `progress`; finite and >= 0; past the horizon the final one, so that a run
  /// which overshoots keeps training.
  virtual double factor(const Progress& progress) const = 0;
};

template <>
class Remote<LearningRateSchedule> final
    : public kit::RemoteBase<LearningRateSchedule, mt_learning_rate_schedule_v1> {
 public:
  static constexpr const char* id = "mortise/learning_rate_schedule/1";
  using Methods = kit::Methods<&LearningRateSchedule::factor>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  double factor(const Progress& progress) const override {
    return call(&Table::factor, &LearningRateSchedule::factor, progress);
  }
};

}  // namespace mortise
