#pragma once

#include <mortise/data/dataset.hpp>
#include <mortise/kit/torch.hpp>
#include <vector>

namespace mortise::host {

// What a run asks of its samples.
struct SampleForm {
  std::int64_t sequence_length = 0;
  std::int64_t vocabulary = 0;  // ids must be below it; 0: not checked
  bool isolated = false;        // whether documents that share a sequence are kept apart
};

// Samples of text as a Batch: tokens, targets (-100 where a sample's mask is 0, and where a target
// belongs to another document), positions, which begin again with each document; document_ids if
// documents are isolated, sources [B] if the samples name theirs.
// Errors: DataError naming file and position for a sample of another form.
Batch batch_of(const Dataset& dataset, const std::vector<std::int64_t>& indices,
               const SampleForm& form);

}  // namespace mortise::host
