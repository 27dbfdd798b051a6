#include "console_text.hpp"

#include <algorithm>
#include <cmath>

#include "number_text.hpp"

namespace mortise::console {

namespace {

constexpr std::string_view kEvaluation = "eval/";
constexpr std::size_t kSmallestBar = 8, kLargestBar = 40;

bool is_evaluation(const Metric& metric) { return metric.name.starts_with(kEvaluation); }

std::string step_text(const Status& s) {
  const std::string step = std::to_string(s.step);
  return s.total_steps > 0 ? step + "/" + std::to_string(s.total_steps) : step;
}

void add(std::string& line, const std::string& part) { line += (line.empty() ? "" : "  ") + part; }

std::string speed_and_time(const Status& s) {
  std::string line;
  if (s.tokens_per_second) add(line, count_text(*s.tokens_per_second) + " tokens/s");
  if (s.seconds_left) add(line, duration_text(*s.seconds_left) + " left");
  return line;
}

std::string bar(const Status& s, std::size_t width) {
  const double done = s.total_steps > 0 ? double(s.step) / double(s.total_steps) : 0;
  const auto filled = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * double(width));
  std::string text = "[" + std::string(filled, '=');
  if (filled < width) text += ">" + std::string(width - filled - 1, ' ');
  return text + "]";
}

// Columns of UTF-8 text, counting each character as one.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t columns) {
  std::size_t at = 0, n = 0;
  for (; at != text.size(); ++at)
    if ((text[at] & 0xC0) != 0x80 && n++ == columns) break;
  return text.substr(0, at);
}

}  // namespace

void update(Status& status, const StepRecord& record) {
  status.step = record.step;
  for (const Metric& m : record.values) {
    if (m.name == "train/loss") status.loss = m.value;
    if (m.name == "train/learning_rate") status.learning_rate = m.value;
    if (m.name == "train/grad_norm") status.grad_norm = m.value;
    if (m.name == "perf/tokens_per_second") status.tokens_per_second = m.value;
  }
}

std::string plain_line(const Status& s) {
  std::string line = "step " + step_text(s);
  if (s.loss) add(line, "loss " + value_text(*s.loss, 4));
  if (s.learning_rate) add(line, "lr " + rate_text(*s.learning_rate));
  if (s.grad_norm) add(line, "grad_norm " + value_text(*s.grad_norm, 2));
  if (const std::string rest = speed_and_time(s); !rest.empty()) add(line, rest);
  return line;
}

std::string progress_line(const Status& s, std::size_t columns) {
  std::string numbers = step_text(s);
  if (s.loss) add(numbers, "loss " + value_text(*s.loss, 4));
  if (const std::string rest = speed_and_time(s); !rest.empty()) add(numbers, rest);
  const std::size_t taken = columns_of(s.name) + columns_of(numbers) + 6;  // two gaps, two brackets
  if (taken + kSmallestBar > columns) return cut(s.name + "  " + numbers, columns);
  return s.name + "  " + bar(s, std::min(columns - taken, kLargestBar)) + "  " + numbers;
}

std::vector<std::string> evaluation_lines(const StepRecord& record) {
  std::vector<std::string> names, lines;
  for (const Metric& m : record.values) {
    if (!is_evaluation(m)) continue;
    const std::string_view rest = std::string_view(m.name).substr(kEvaluation.size());
    const std::size_t slash = rest.rfind('/');
    const std::string set(rest.substr(0, slash));
    const std::string what(slash == std::string_view::npos ? "value" : rest.substr(slash + 1));
    const auto known = std::find(names.begin(), names.end(), set);
    const auto at = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) {
      names.push_back(set);
      lines.push_back("eval " + set + "  step " + std::to_string(record.step));
    }
    add(lines[at], what + " " + value_text(m.value, what == "loss" ? 4 : 2));
  }
  return lines;
}

bool has_training(const StepRecord& record) {
  return std::any_of(record.values.begin(), record.values.end(),
                     [](const Metric& m) { return m.name.starts_with("train/"); });
}

std::string message_line(LogLevel level, std::string_view text) {
  const char* const before = level == LogLevel::warning ? "warning: "
                             : level == LogLevel::error ? "error: "
                                                        : "";
  return before + std::string(text);
}

}  // namespace mortise::console
