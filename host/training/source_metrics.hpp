#pragma once

#include <map>
#include <mortise/data/dataset.hpp>
#include <mortise/run/metric_sink.hpp>
#include <string>
#include <vector>

namespace mortise::host {

// What the run tells of each source of its training set. `uses`: what was drawn up to now.
// `records`: what models and losses have recorded in this step, summed over all ranks; what the
// loss has recorded of sources (Loss::add_terms) is taken out and becomes
//   train/loss/NAME, train/tokens/NAME   of this step: loss per counted target, counted targets
//   data/tokens/NAME, data/epoch/NAME    since the run began
void add_source_metrics(const std::vector<SourceUse>& uses, std::int64_t sequence_length,
                        std::map<std::string, double>& records, StepRecord& record);

}  // namespace mortise::host
