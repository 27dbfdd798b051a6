#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace mortise::host {

// The training losses that stand in a metrics.jsonl, those that were done again once.
class RecordedLosses {
 public:
  // A file that is not there holds none; lines that are no records are passed over.
  explicit RecordedLosses(const std::filesystem::path& file);
  // Not a number stands for what is not finite.
  std::optional<double> of(std::int64_t step) const;

 private:
  std::map<std::int64_t, double> losses_;
};

}  // namespace mortise::host
