#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "../../run/console/number_text.hpp"

namespace mortise::data_tools {

namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);

// Progress that cannot be shown is no reason to stop.
void print(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

ProgressLine::ProgressLine(std::int64_t total_bytes)
    : total_bytes_(total_bytes), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (drawn_) print("\r\x1b[2K");
}

void ProgressLine::show(std::int64_t done_bytes) {
  const auto now = Clock::now();
  if (!terminal_ || now - last_ < kRedrawEvery) return;
  const std::chrono::duration<double> passed = now - begin_;
  print("\r\x1b[2K" + progress_text(done_bytes, total_bytes_, passed.count()));
  last_ = now;
  drawn_ = true;
}

std::string progress_text(std::int64_t done_bytes, std::int64_t total_bytes, double seconds) {
  if (done_bytes <= 0 || total_bytes <= 0 || seconds <= 0) return "packing";
  const double share = double(done_bytes) / double(total_bytes);
  char text[64];
  std::snprintf(text, sizeof text, "packing  %.0f%%  %.1f MB/s  ", share * 100,
                double(done_bytes) / seconds / 1e6);
  // Escapes in JSON make the input longer than its text: the share may end below 100 %.
  return text + console::duration_text(seconds / share - seconds) + " left";
}

}  // namespace mortise::data_tools
