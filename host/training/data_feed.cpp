#include "host/training/data_feed.hpp"

#include <algorithm>

namespace mortise::host {

void DataFeed::start(std::int64_t step) {
  stop();
  stops_ = false;
  next_ = turn_ = step;
  for (std::int64_t i = 0; i != kStepsAhead; ++i) read_ahead(step + i);
}

void DataFeed::stop() {
  stops_ = true;
  ahead_.clear();  // waits for what is being read
}

// A thread for each step: measured, a step of the smallest shape in tests/bench/train is then 5 %
// shorter on two virtual cores than with one thread that lives on (docs/performance.md).
void DataFeed::read_ahead(std::int64_t step) {
  if (step >= parts_.horizon.total_steps) return;
  ahead_.push_back(std::async(std::launch::async, [this, step] { return read_in_turn(step); }));
}

Rounds DataFeed::read_in_turn(std::int64_t step) {
  std::unique_lock lock(reads_);
  turn_passes_.wait(lock, [&] { return turn_ == step; });
  struct PassOn {
    DataFeed& feed;
    ~PassOn() {
      ++feed.turn_;
      feed.turn_passes_.notify_all();
    }
  } const pass_on{*this};
  return stops_ ? Rounds() : read(step);
}

Rounds DataFeed::read(std::int64_t step) const {
  const BatchGeometry& geometry = parts_.geometry;
  Rounds rounds;
  for (std::int64_t r = 0; r != geometry.rounds(); ++r) {
    rounds.emplace_back();
    const std::int64_t k = r * geometry.ranks + geometry.rank;
    if (k >= geometry.micro_batches()) continue;
    const std::int64_t from = k * geometry.micro_batch;
    const std::int64_t count = std::min(geometry.micro_batch, geometry.sequences - from);
    const DrawRequest request = parts_.horizon.positions(step * geometry.sequences + from, count);
    rounds.back() =
        batch_of(parts_.dataset, parts_.dataset.draw(parts_.order, request), parts_.form);
  }
  return rounds;
}

Rounds DataFeed::next(std::int64_t step) {
  if (step >= parts_.horizon.total_steps) return read(step);
  if (step != next_ || ahead_.empty()) start(step);
  next_ = -1;  // unless it can be read
  Rounds rounds = ahead_.front().get();
  ahead_.pop_front();
  next_ = step + 1;
  read_ahead(step + kStepsAhead);
  return rounds;
}

Rounds evaluation_rounds(const Dataset& dataset, BatchGeometry geometry, const SampleForm& form) {
  const std::int64_t samples = geometry.sequences;
  Rounds rounds;
  for (std::int64_t r = 0; r != geometry.rounds(); ++r) {
    rounds.emplace_back();
    std::int64_t k = r * geometry.ranks + geometry.rank;
    if (k >= geometry.micro_batches() && !geometry.fills) continue;
    if (k >= geometry.micro_batches()) k = 0;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = k * geometry.micro_batch;
         i != std::min((k + 1) * geometry.micro_batch, samples); ++i)
      indices.push_back(i);
    rounds.back() = batch_of(dataset, indices, form);
  }
  return rounds;
}

}  // namespace mortise::host
