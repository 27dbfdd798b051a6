#pragma once

#include <future>
#include <mortise/data/dataset.hpp>
#include <mortise/data/sample_order.hpp>
#include <mortise/kit/torch.hpp>
#include <optional>
#include <vector>

namespace mortise::host {

// How the samples of a step are cut into micro-batches and dealt out: micro-batch k holds the
// samples [k m, (k + 1) m) of the step and lies on rank k mod ranks in round k div ranks.
struct BatchGeometry {
  std::int64_t sequences = 0, micro_batch = 0, sequence_length = 0;
  std::int64_t rank = 0, ranks = 1;
  bool fills = false;  // evaluation: whoever has none repeats the first, which does not count
  std::int64_t micro_batches() const { return (sequences + micro_batch - 1) / micro_batch; }
  std::int64_t rounds() const { return (micro_batches() + ranks - 1) / ranks; }
};

using Rounds = std::vector<std::optional<Batch>>;

// Samples of text as a Batch: tokens, targets (-100 where a sample's mask is 0) and positions.
// `vocabulary`: ids must be below it; 0: not checked. Throws DataError naming file and position.
Batch batch_of(const Dataset& dataset, const std::vector<std::int64_t>& indices,
               std::int64_t vocabulary);

// Reads the micro-batches of this rank, one step ahead on a thread of its own.
class DataFeed {
 public:
  DataFeed(const Dataset& dataset, const SampleOrder& order, BatchGeometry geometry,
           std::int64_t vocabulary);
  ~DataFeed();
  // The micro-batches of step `step` (updates done before it). Starts to read the next step.
  Rounds next(std::int64_t step);

 private:
  Rounds read(std::int64_t step) const;
  const Dataset& dataset_;
  const SampleOrder& order_;
  BatchGeometry geometry_;
  std::int64_t vocabulary_;
  std::future<Rounds> ahead_;
  std::int64_t ahead_step_ = -1;
};

// The first `samples` samples in their own order, for evaluation.
Rounds evaluation_rounds(const Dataset& dataset, std::int64_t samples, BatchGeometry geometry,
                         std::int64_t vocabulary);

}  // namespace mortise::host
