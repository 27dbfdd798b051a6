#include "host/training/recorded_losses.hpp"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace mortise::host {

RecordedLosses::RecordedLosses(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object()) continue;
    if (record.contains("resumed_at") && record["resumed_at"].is_number_integer())
      losses_.erase(losses_.upper_bound(record["resumed_at"].get<std::int64_t>()), losses_.end());
    if (!record.contains("train/loss") || !record.contains("step")) continue;
    const nlohmann::json& loss = record["train/loss"];
    losses_[record["step"].get<std::int64_t>()] =
        loss.is_number() ? loss.get<double>() : std::numeric_limits<double>::quiet_NaN();
  }
}

std::optional<double> RecordedLosses::of(std::int64_t step) const {
  const auto found = losses_.find(step);
  if (found == losses_.end()) return std::nullopt;
  return found->second;
}

}  // namespace mortise::host
