#include "host/training/stop_request.hpp"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace mortise::host {
namespace {

volatile std::sig_atomic_t asked = 0;  // a signal handler can reach nothing else

void on_signal(int signal) {
  if (asked != 0) _exit(128 + signal);
  asked = signal;
}

}  // namespace

void listen_for_stop() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int stop_signal() { return asked; }

}  // namespace mortise::host
