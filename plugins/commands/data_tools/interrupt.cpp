#include "interrupt.hpp"

#include <csignal>
#include <cstddef>
#include <iostream>

namespace mortise::data_tools {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGXFSZ, SIGPIPE};
constexpr std::size_t kAsking = 2;  // the first two ask for the end, the others are ignored

volatile std::sig_atomic_t asked = 0;  // a handler can reach nothing else
struct sigaction before[sizeof kSignals / sizeof kSignals[0]];

void on_signal(int signal) { asked = signal; }

}  // namespace

Interrupt::Interrupt() {
  asked = 0;
  for (std::size_t i = 0; i != sizeof kSignals / sizeof kSignals[0]; ++i) {
    struct sigaction action {};
    action.sa_handler = i < kAsking ? on_signal : SIG_IGN;
    action.sa_flags = i < kAsking ? int(SA_RESETHAND) : 0;
    sigaction(kSignals[i], &action, &before[i]);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i != sizeof kSignals / sizeof kSignals[0]; ++i)
    sigaction(kSignals[i], &before[i], nullptr);
}

int Interrupt::signal() { return asked; }

std::int64_t Interrupt::tell() const {
  std::cerr << "interrupted: nothing was written\n";
  return 128 + signal();
}

}  // namespace mortise::data_tools
