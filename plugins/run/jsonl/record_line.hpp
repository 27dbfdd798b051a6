#pragma once

// Lines of metrics.jsonl.

#include <cstdint>
#include <mortise/run/metric_sink.hpp>
#include <string>

namespace mortise::jsonl {

// {"step":50,"time":1700000000.123,"train/loss":2.5}, with a line end. A value that is not finite
// is null, and "non_finite" says what it was: {"train/loss":"nan"}.
std::string record_line(const StepRecord& record, double unix_seconds);

// {"resumed_at":50}: what was written for later steps before this line is done again after it.
std::string resume_line(std::int64_t step);

}  // namespace mortise::jsonl
