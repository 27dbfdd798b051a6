#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace mortise::data_tools {

// A line on standard error that is redrawn while work goes on; nothing where that is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(std::int64_t total_bytes);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(std::int64_t done_bytes);

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t total_bytes_;
  bool terminal_, drawn_ = false;
  Clock::time_point begin_ = Clock::now(), last_{};
};

// "packing  45%  123 MB/s  12s left"
std::string progress_text(std::int64_t done_bytes, std::int64_t total_bytes, double seconds);

}  // namespace mortise::data_tools
