// Loaded into the program before the C library (LD_PRELOAD): the clock of one rank is wrong.
//
//   MORTISE_TEST_CLOCK_OF_RANK=RANK:SECONDS

#include <dlfcn.h>
#include <sys/time.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

std::time_t error_of_clock() {
  static const std::time_t seconds = [] {
    const char* given = std::getenv("MORTISE_TEST_CLOCK_OF_RANK");
    const char* rank = std::getenv("RANK");
    if (given == nullptr || rank == nullptr || std::atoi(given) != std::atoi(rank)) return 0L;
    return std::atol(std::strchr(given, ':') + 1);
  }();
  return seconds;
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += error_of_clock();
  return result;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static const auto real = next<int(timeval*, void*)>("gettimeofday");
  const int result = real(now, zone);
  now->tv_sec += error_of_clock();
  return result;
}

std::time_t time(std::time_t* now) noexcept {
  timespec exact{};
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now != nullptr) *now = exact.tv_sec;
  return exact.tv_sec;
}
}
