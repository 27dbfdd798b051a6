#pragma once

#include <mortise/c/progress.h>

#include <cmath>
#include <cstdint>
#include <mortise/kit/structs.hpp>
#include <string>

namespace [[gnu::visibility("hidden")]] mortise {

/// Where a run stands and how long it is.
///
/// Units: `step` counts optimizer updates from 0, never micro-batches; tokens are counted over all
///        ranks; 0 where something is not known.
struct Progress {
  std::int64_t step = 0, total_steps = 0;
  std::int64_t tokens = 0, total_tokens = 0;
  std::int64_t tokens_per_step = 0, steps_per_epoch = 0;
};

/// A moment or an interval as a run file writes it: `300`, `2%`, `1B tokens`, `3 epochs`, `1h`.
struct Amount {
  enum class Unit : std::int32_t { steps, percent, tokens, epochs, seconds };
  double value = 0;
  Unit unit = Unit::steps;

  /// In optimizer steps, rounded to the nearest.
  /// Errors: ConfigError when `progress` lacks what the unit needs (seconds never convert).
  std::int64_t in_steps(const Progress& progress) const {
    switch (unit) {
      case Unit::steps:
        return std::llround(value);
      case Unit::percent:
        return std::llround(value / 100 * double(progress.total_steps));
      case Unit::tokens:
        if (progress.tokens_per_step > 0)
          return std::llround(value / double(progress.tokens_per_step));
        break;
      case Unit::epochs:
        if (progress.steps_per_epoch > 0)
          return std::llround(value * double(progress.steps_per_epoch));
        break;
      case Unit::seconds:
        break;
    }
    throw ConfigError("an amount in " +
                      std::string(unit == Unit::seconds  ? "seconds"
                                  : unit == Unit::tokens ? "tokens"
                                                         : "epochs") +
                      " cannot be expressed in steps here: give steps or a percentage");
  }
  bool operator==(const Amount&) const = default;
};

constexpr Amount steps(std::int64_t n) { return {double(n), Amount::Unit::steps}; }
constexpr Amount percent(double p) { return {p, Amount::Unit::percent}; }

namespace kit {
template <>
struct members<Progress> {
  MORTISE_MEMBERS(Progress, mt_progress);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(step),
                                         MORTISE_MEMBER(total_steps),
                                         MORTISE_MEMBER(tokens),
                                         MORTISE_MEMBER(total_tokens),
                                         MORTISE_MEMBER(tokens_per_step),
                                         MORTISE_MEMBER(steps_per_epoch)};
};
}  // namespace kit
}  // namespace mortise
