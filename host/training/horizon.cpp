#include "host/training/horizon.hpp"

#include <algorithm>
#include <cmath>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

std::int64_t steps_for(double amount, double per_step) {
  return std::max<std::int64_t>(1, std::int64_t(std::ceil(amount / per_step - 1e-9)));
}

}  // namespace

Horizon::Horizon(const RunSettings& s, std::int64_t dataset_samples)
    : tokens_per_step(s.tokens_per_step()),
      sequences_per_step(s.sequences),
      samples(dataset_samples) {
  if (s.steps)
    total_steps = *s.steps;
  else if (s.tokens)
    total_steps = steps_for(double(*s.tokens), double(tokens_per_step));
  else if (s.epochs)
    total_steps = steps_for(*s.epochs * double(samples), double(sequences_per_step));
}

double Horizon::epochs(std::int64_t step) const {
  return double(step) * double(sequences_per_step) / double(samples);
}

Progress Horizon::progress(std::int64_t step) const {
  const std::int64_t per_epoch =
      std::max<std::int64_t>(1, std::llround(double(samples) / double(sequences_per_step)));
  return {
      step,     total_steps, step * tokens_per_step, total_steps * tokens_per_step, tokens_per_step,
      per_epoch};
}

DrawRequest Horizon::positions(std::int64_t first, std::int64_t count) const {
  return {first, count, total_steps, sequences_per_step, tokens_per_step};
}

std::optional<std::int64_t> Horizon::interval(const Amount& amount, const std::string& what) const {
  if (amount.unit == Amount::Unit::seconds) return std::nullopt;
  try {
    const mortise::Amount shared{amount.value, mortise::Amount::Unit(int(amount.unit))};
    return std::max<std::int64_t>(1, shared.in_steps(progress(0)));
  } catch (const Error& e) {
    throw Failure("C0308", Exit::configuration, "error[C0308]: " + what + ": " + e.what());
  }
}

}  // namespace mortise::host
