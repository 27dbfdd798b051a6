// Metric sink for people: on a terminal one progress line that is redrawn in place, elsewhere a
// line for each record that is shown.

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mortise/plugin.hpp>
#include <mortise/run/metric_sink.hpp>

#include "console_text.hpp"
#include "time_left.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using mortise::LogLevel;

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr const char* kClearLine = "\r\x1b[2K";

// In one call where the system lets it, so that lines of several processes do not mix.
void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
      pollfd ready{file, POLLOUT, 0};
      ::poll(&ready, 1, 1000);
      continue;
    }
    if (n < 0)
      throw mortise::Error(mortise::ErrorCode::storage,
                           std::string("the console cannot be written: ") + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 79;
  return size.ws_col - 1u;  // the last column would wrap on some terminals
}

class Console final : public mortise::MetricSink {
 public:
  void begin(const mortise::RunInfo& run) override {
    terminal_ = run.terminal;
    status_.name = run.name;
    status_.step = run.first_step;
    status_.total_steps = run.total_steps;
    std::string text;
    for (const std::string& line : run.report) text += line + "\n";
    write_all(STDOUT_FILENO, text);
  }

  void write(const mortise::StepRecord& record) override {
    mortise::console::update(status_, record);
    status_.seconds_left = time_left_.after(record.step, status_.total_steps, seconds());
    for (const std::string& line : mortise::console::evaluation_lines(record)) print(line);
    if (terminal_)
      redraw();
    else if (record.shown && mortise::console::has_training(record))
      print(mortise::console::plain_line(status_));
  }

  void message(LogLevel level, std::string_view text) override {
    const std::string line = mortise::console::message_line(level, text);
    const bool to_stderr = level == LogLevel::warning || level == LogLevel::error;
    if (!to_stderr || (terminal_ && ::isatty(STDERR_FILENO)))
      print(line);
    else
      write_all(STDERR_FILENO, line + "\n");
  }

  void flush() override {
    if (!drawn_) return;
    draw("\n");
    drawn_ = false;
  }

 private:
  static double seconds() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  }

  std::string progress() const {
    return mortise::console::progress_line(status_, terminal_columns());
  }

  void draw(const char* after) {
    write_all(STDOUT_FILENO, kClearLine + progress() + after);
    drawn_ = true;
    last_drawn_ = Clock::now();
  }

  void redraw() {
    const bool last = status_.step == status_.total_steps;
    if (!drawn_ || last || Clock::now() - last_drawn_ >= kRedrawEvery) draw("");
  }

  // A line of its own, above the progress line where there is one.
  void print(const std::string& line) {
    if (drawn_)
      write_all(STDOUT_FILENO, kClearLine + line + "\n" + progress());
    else
      write_all(STDOUT_FILENO, line + "\n");
  }

  bool terminal_ = false, drawn_ = false;
  Clock::time_point last_drawn_{};
  mortise::console::Status status_;
  mortise::console::TimeLeft time_left_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.console", MORTISE_VERSION,
               mortise::component<Console, mortise::MetricSink>(
                   "console", "progress line on a terminal, plain lines elsewhere"));
