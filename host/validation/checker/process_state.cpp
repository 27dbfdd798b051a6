#include "host/validation/checker/process_state.hpp"

#include <malloc.h>
#include <sys/stat.h>

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <locale>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

extern char** environ;

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

std::size_t count_entries(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

std::string signal_handlers() {
  std::string all;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_DFL) continue;
    all += (all.empty() ? "" : ", ") + std::string(strsignal(signal)) +
           (action.sa_handler == SIG_IGN ? " ignored" : " handled");
  }
  return all.empty() ? "none" : all;
}

std::string environment() {
  std::string all;
  for (char** entry = environ; *entry != nullptr; ++entry) all += std::string(*entry) + " ";
  return all;
}

// Rounding, and on x86 whether tiny numbers become zero, as code linked with -ffast-math sets it.
std::string floating_point() {
  std::string mode = "rounding " + std::to_string(std::fegetround());
#if defined(__x86_64__)
  constexpr unsigned kStatusBits = 0x3f;
  mode += ", control " + std::to_string(_mm_getcsr() & ~kStatusBits);
#endif
  return mode;
}

std::string file_mode_mask() {
  const mode_t mask = umask(0);
  umask(mask);
  return std::to_string(mask);
}

std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

std::map<std::string, std::string> process_state() {
  return {{"threads", std::to_string(count_entries("/proc/self/task"))},
          {"open files", std::to_string(count_entries("/proc/self/fd"))},
          {"signal handlers", signal_handlers()},
          {"environment", environment()},
          {"locale", std::string(std::setlocale(LC_ALL, nullptr)) + ", " + std::locale().name()},
          {"floating-point mode", floating_point()},
          {"working folder", fs::current_path().string()},
          {"file mode mask", file_mode_mask()}};
}

std::vector<std::string> changes(const std::map<std::string, std::string>& before,
                                 const std::map<std::string, std::string>& after) {
  std::vector<std::string> all;
  for (const auto& [name, value] : after)
    if (const std::string& was = before.at(name); was != value)
      all.push_back(name + ": " +
                    (name == "environment" ? "changed" : "was " + was + ", is " + value));
  return all;
}

std::size_t bytes_left_behind(int times, const std::function<void()>& once) {
  constexpr int kWarmUp = 20, kRounds = 4;
  constexpr std::size_t kSmallestPiece = 16;  // less than malloc gives
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int i = 0; i != kWarmUp; ++i) once();
  for (int round = 0; round != kRounds; ++round) {
    const std::size_t before = bytes_in_use();
    for (int i = 0; i != times; ++i) once();
    const std::size_t now = bytes_in_use();
    least = std::min(least, now > before ? (now - before) / std::size_t(times) : 0);
    if (least < kSmallestPiece) return 0;
  }
  return least;
}

}  // namespace mortise::host
