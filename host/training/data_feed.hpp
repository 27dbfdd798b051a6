#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mortise/data/dataset.hpp>
#include <mortise/data/sample_order.hpp>
#include <mortise/kit/torch.hpp>
#include <mutex>
#include <optional>
#include <vector>

#include "host/training/horizon.hpp"
#include "host/training/sample_batch.hpp"

namespace mortise::host {

// How the samples of a step are cut into micro-batches and dealt out: micro-batch k holds the
// samples [k m, (k + 1) m) of the step and lies on rank k mod ranks in round k div ranks.
struct BatchGeometry {
  std::int64_t sequences = 0, micro_batch = 0;
  std::int64_t rank = 0, ranks = 1;
  bool fills = false;  // evaluation: whoever has none repeats the first, which does not count
  std::int64_t micro_batches() const { return (sequences + micro_batch - 1) / micro_batch; }
  std::int64_t rounds() const { return (micro_batches() + ranks - 1) / ranks; }
};

using Rounds = std::vector<std::optional<Batch>>;

// Reads the micro-batches of this rank on threads of its own, step after step, some of them ahead.
// What goes wrong there is thrown by next() of the step that it belongs to.
class DataFeed {
 public:
  struct Parts {
    const Dataset& dataset;
    SampleOrder& order;
    BatchGeometry geometry;
    SampleForm form;
    const Horizon& horizon;
  };
  explicit DataFeed(const Parts& parts) : parts_(parts) {}
  ~DataFeed() { stop(); }
  DataFeed(const DataFeed&) = delete;

  // Begins to read at `step` (updates done before it).
  void start(std::int64_t step);
  // The micro-batches of `step`: the one after the last, or any other at the price of a start.
  Rounds next(std::int64_t step);

 private:
  static constexpr std::int64_t kStepsAhead = 4;
  void stop();
  void read_ahead(std::int64_t step);
  Rounds read_in_turn(std::int64_t step);
  Rounds read(std::int64_t step) const;

  Parts parts_;
  std::int64_t next_ = -1;  // the step of the front of ahead_
  std::mutex reads_;
  std::condition_variable turn_passes_;
  std::int64_t turn_ = 0;  // the step that is read next
  std::atomic<bool> stops_{false};
  std::deque<std::future<Rounds>> ahead_;
};

// The first `samples` samples in their own order, for evaluation.
Rounds evaluation_rounds(const Dataset& dataset, BatchGeometry geometry, const SampleForm& form);

}  // namespace mortise::host
