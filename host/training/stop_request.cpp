#include "host/training/stop_request.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include "host/signal_text.hpp"

namespace mortise::host {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t asked = 0, sent = 0, passed_on = 0;

bool starter_tells = false;

[[noreturn]] void stop_at_once(int signal) {
  SignalText text;
  text.add("stopped at once by signal ").add(std::int64_t(signal));
  text.add(": nothing was saved; the last complete checkpoint stays\n");
  const std::size_t size = starter_tells ? 0 : text.size();
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), size);
  _exit(128 + signal);
}

// A scheduler signals the starter and its ranks alike, so what the starter passes on, queued, is no
// second signal to one that came itself.
void on_signal(int signal, siginfo_t* info, void*) {
  volatile std::sig_atomic_t& count = info->si_code == SI_QUEUE ? passed_on : sent;
  if (count != 0) stop_at_once(signal);
  count = 1;
  asked = signal;
}

}  // namespace

void listen_for_stop() {
  starter_tells = std::getenv("MORTISE_STORE_IS_ELSEWHERE") != nullptr;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int stop_signal() { return asked; }

}  // namespace mortise::host
