#pragma once

#include <mortise/amount.hpp>
#include <mortise/data/dataset.hpp>
#include <optional>

#include "host/training/run_settings.hpp"

namespace mortise::host {

// How long a run is, in every unit.
struct Horizon {
  std::int64_t total_steps = 0, tokens_per_step = 0, sequences_per_step = 0, samples = 0;

  Horizon(const RunSettings& settings, std::int64_t dataset_samples);
  // Passes over the data after `step` updates.
  double epochs(std::int64_t step) const;
  Progress progress(std::int64_t step) const;
  // The positions [first, first + count) of the run.
  DrawRequest positions(std::int64_t first, std::int64_t count) const;
  // An interval in steps, at least 1; nothing for one in seconds. Throws Failure for one that
  // cannot be expressed.
  std::optional<std::int64_t> interval(const Amount& amount, const std::string& what) const;
};

}  // namespace mortise::host
