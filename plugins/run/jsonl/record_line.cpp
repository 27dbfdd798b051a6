#include "record_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../../data/encoding/json_text.hpp"

namespace mortise::jsonl {

namespace {

// Names of ours, which a metric cannot take.
std::string key_of(const std::string& name) {
  const bool taken =
      name == "step" || name == "time" || name == "non_finite" || name == "resumed_at";
  return encoding::json_string(taken ? "metric/" + name : name);
}

std::string time_text(double unix_seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", unix_seconds);
  return text;
}

const char* non_finite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

// Whether a later value of the record has the same name: an object has each key once.
bool is_replaced(const std::vector<Metric>& values, std::size_t i) {
  return std::any_of(values.begin() + std::ptrdiff_t(i) + 1, values.end(),
                     [&](const Metric& m) { return m.name == values[i].name; });
}

}  // namespace

std::string record_line(const StepRecord& record, double unix_seconds) {
  std::string line =
      "{\"step\":" + std::to_string(record.step) + ",\"time\":" + time_text(unix_seconds);
  std::string flags;
  for (std::size_t i = 0; i != record.values.size(); ++i) {
    if (is_replaced(record.values, i)) continue;
    const auto& [name, value] = record.values[i];
    line += "," + key_of(name) + ":" + encoding::json_number(value);
    if (!std::isfinite(value))
      flags += (flags.empty() ? "" : ",") + key_of(name) + ":\"" + non_finite(value) + "\"";
  }
  if (!flags.empty()) line += ",\"non_finite\":{" + flags + "}";
  return line + "}\n";
}

std::string resume_line(std::int64_t step) {
  return "{\"resumed_at\":" + std::to_string(step) + "}\n";
}

}  // namespace mortise::jsonl
