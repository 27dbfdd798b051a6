#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "../../data/encoding/json_text.hpp"
#include "../../run/console/number_text.hpp"

namespace mortise::data_tools {

namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr auto kRecordEvery = std::chrono::seconds(1);
constexpr int kBarWidth = 20;

// Progress that cannot be shown is no reason to stop.
void print(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

// In [0, 1]; 0 where it is not known.
double share_of(const Work& work) {
  if (work.total_bytes <= 0) return 0;
  return std::min(1.0, double(work.done_bytes) / double(work.total_bytes));
}

std::string number(double value) { return encoding::json_number(value); }

}  // namespace

Progress::Progress(std::string_view verb, Form form)
    : verb_(verb), form_(form), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) print("\r\x1b[2K");
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void Progress::show(const Work& work) {
  const auto now = Clock::now();
  if (form_ == Form::json && now - last_ >= kRecordEvery) {
    std::cout << "{\"type\": \"progress\", " << progress_json(work, seconds()) << "}" << std::endl;
    last_ = now;
  } else if (form_ == Form::line && terminal_ && now - last_ >= kRedrawEvery) {
    print("\r\x1b[2K" + progress_text(verb_, work, seconds()));
    last_ = now;
    drawn_ = true;
  }
}

std::string progress_text(std::string_view verb, const Work& work, double seconds) {
  std::string text(verb);
  if (work.text_bytes <= 0 || seconds <= 0) return text;
  const double share = share_of(work);
  char part[64];
  if (work.total_bytes > 0) {
    const auto filled = std::size_t(share * kBarWidth);
    text += " [" + std::string(filled, '#') + std::string(kBarWidth - filled, ' ') + "]";
    std::snprintf(part, sizeof part, "%4.0f%%", share * 100);
    text += part;
  }
  std::snprintf(part, sizeof part, "  %.1f MB/s", double(work.text_bytes) / seconds / 1e6);
  text += part;
  if (work.tokens > 0)
    text += "  " + console::count_text(double(work.tokens) / seconds) + " tokens/s";
  if (share > 0) text += "  " + console::duration_text(seconds / share - seconds) + " left";
  return text;
}

std::string progress_json(const Work& work, double seconds) {
  const double share = share_of(work);
  const double rate = seconds > 0 ? 1 / seconds : 0;
  return "\"done_bytes\": " + std::to_string(work.done_bytes) + ", \"total_bytes\": " +
         (work.total_bytes < 0 ? "null" : std::to_string(work.total_bytes)) +
         ", \"text_bytes\": " + std::to_string(work.text_bytes) +
         ", \"documents\": " + std::to_string(work.documents) +
         ", \"tokens\": " + std::to_string(work.tokens) + ", \"seconds\": " + number(seconds) +
         ", \"megabytes_per_second\": " + number(double(work.text_bytes) * rate / 1e6) +
         ", \"tokens_per_second\": " + number(double(work.tokens) * rate) +
         ", \"seconds_left\": " + (share > 0 ? number(seconds / share - seconds) : "null");
}

}  // namespace mortise::data_tools
