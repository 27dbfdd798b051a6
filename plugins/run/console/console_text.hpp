#pragma once

// What the console says, as functions of what it knows.

#include <cstddef>
#include <cstdint>
#include <mortise/run/metric_sink.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::console {

// What the progress line and a plain line show.
struct Status {
  std::string name;
  std::int64_t step = 0, total_steps = 0;
  std::optional<double> loss, learning_rate, grad_norm, tokens_per_second;
  std::optional<double> seconds_left;
};

// Takes over what `record` says; what it does not say stays.
void update(Status& status, const StepRecord& record);

// "step 50/300  loss 2.1234  lr 1.0e-03  grad_norm 0.53  12.3k tokens/s  1m20s left"
std::string plain_line(const Status& status);

// "shakespeare  [=====>    ]  50/300  loss 2.1234  12.3k tokens/s  1m20s left", at most `columns`
// wide: the bar takes what is left, and goes first.
std::string progress_line(const Status& status, std::size_t columns);

// One line for each evaluated set: "eval held_out  step 50  loss 2.1234  perplexity 8.36".
std::vector<std::string> evaluation_lines(const StepRecord& record);

// Whether `record` has numbers of training steps: else it is an evaluation alone.
bool has_training(const StepRecord& record);

// A line of the log: warnings and errors say so.
std::string message_line(LogLevel level, std::string_view text);

}  // namespace mortise::console
