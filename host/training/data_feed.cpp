#include "host/training/data_feed.hpp"

#include <algorithm>

namespace mortise::host {

void DataFeed::start(std::int64_t step) {
  stop();
  stops_ = false;
  next_ = step;
  ahead_.clear();
  thread_ = std::thread([this, step] { work(step); });
}

void DataFeed::stop() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// Ends after the last step of the run, and at the first that fails: nobody asks for what follows.
void DataFeed::work(std::int64_t step) {
  for (bool failed = false; !failed && step < parts_.horizon.total_steps; ++step) {
    Read read = try_read(step);
    failed = read.failed != nullptr;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stops_ || ahead_.size() < kStepsAhead; });
    if (stops_) return;
    ahead_.push_back(std::move(read));
    lock.unlock();
    changed_.notify_all();
  }
}

DataFeed::Read DataFeed::try_read(std::int64_t step) const {
  try {
    return {read(step), nullptr};
  } catch (...) {
    return {{}, std::current_exception()};
  }
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
  if (step != next_ || !thread_.joinable()) start(step);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ahead_.empty(); });
  Read read = std::move(ahead_.front());
  ahead_.pop_front();
  ++next_;
  lock.unlock();
  changed_.notify_all();
  if (read.failed) {
    next_ = -1;
    std::rethrow_exception(read.failed);
  }
  return std::move(read.rounds);
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
