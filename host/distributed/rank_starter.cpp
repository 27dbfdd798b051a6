#include "host/distributed/rank_starter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "host/distributed/rendezvous.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t last_signal = 0;  // a handler can reach nothing else
volatile std::sig_atomic_t signal_count = 0;

void on_signal(int signal) {
  last_signal = signal;
  signal_count = signal_count + 1;
}

void say(const std::string& line) {
  const std::string whole = line + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, whole.data(), whole.size());
}

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGUSR1};

// Keeps signals that are passed on waiting, so that one which reaches a rank before its program
// runs ends it there and does not vanish in the handler of its starter.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    sigemptyset(&all);
    for (const int signal : kPassedOn) sigaddset(&all, signal);
    sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

struct Rank {
  int number = 0;
  pid_t process = 0;
  int output = -1;         // read end, -1 for the first rank
  std::string unfinished;  // a line without its end
  std::optional<int> status;
};

std::vector<std::string> environment_for(int rank, int ranks, int port) {
  std::vector<std::string> all;
  for (char** e = environ; *e != nullptr; ++e) all.emplace_back(*e);
  const auto set = [&](const std::string& name, const std::string& value) {
    std::erase_if(all, [&](const std::string& e) { return e.rfind(name + "=", 0) == 0; });
    all.push_back(name + "=" + value);
  };
  for (const char* name : {"RANK", "LOCAL_RANK"}) set(name, std::to_string(rank));
  for (const char* name : {"WORLD_SIZE", "LOCAL_WORLD_SIZE"}) set(name, std::to_string(ranks));
  set("MASTER_ADDR", "127.0.0.1");
  set("MASTER_PORT", std::to_string(port));
  set("MORTISE_STORE_IS_ELSEWHERE", "1");
  if (std::getenv("OMP_NUM_THREADS") == nullptr)
    set("OMP_NUM_THREADS",
        std::to_string(std::max(1u, std::thread::hardware_concurrency() / unsigned(ranks))));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& t : texts) all.push_back(t.data());
  all.push_back(nullptr);
  return all;
}

class LocalRanks {
 public:
  LocalRanks(int count, std::vector<std::string> arguments)
      : server_(count), arguments_(std::move(arguments)) {
    for (int r = 0; r != count; ++r) start(r, count);
  }
  ~LocalRanks() {
    for (Rank& r : ranks_)
      if (r.output >= 0) close(r.output);
  }

  int wait() {
    int passed_on = 0;
    while (std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& r) { return !r.status; })) {
      read_output();
      for (; passed_on < signal_count; ++passed_on) signal_all(last_signal);
      reap();
      if (first_failure_ && Clock::now() > *deadline_) signal_all(SIGKILL);
    }
    read_output();
    return first_failure_.value_or(0);
  }

 private:
  void start(int rank, int count) {
    std::vector<std::string> environment = environment_for(rank, count, server_.port());
    std::vector<char*> argv = pointers(arguments_), envp = pointers(environment);
    int ends[2] = {-1, -1};
    if (rank != 0 && pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    const pid_t parent = getpid();
    const HeldSignals held;
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      setpgid(0, 0);  // Ctrl-C reaches this starter alone, which passes it on once
      for (const int signal : kPassedOn) std::signal(signal, SIG_DFL);
      held.release();
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);
      if (rank != 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
      }
      execve("/proc/self/exe", argv.data(), envp.data());
      _exit(127);
    }
    if (ends[1] >= 0) {
      close(ends[1]);
      fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    ranks_.push_back({rank, child, ends[0], {}, {}});
  }

  [[noreturn]] static void fail(const std::string& call) {
    throw Failure(
        "R0105", Exit::ranks,
        "error[R0105]: a local rank cannot be started: " + call + ": " + std::strerror(errno));
  }

  void read_output() {
    std::vector<pollfd> waiting;
    for (const Rank& r : ranks_)
      if (r.output >= 0) waiting.push_back({r.output, POLLIN, 0});
    poll(waiting.data(), nfds_t(waiting.size()), 50);
    for (Rank& r : ranks_)
      if (r.output >= 0) read_lines(r);
  }

  static void read_lines(Rank& r) {
    char buffer[4096];
    ssize_t n = 0;
    while ((n = read(r.output, buffer, sizeof buffer)) > 0)
      r.unfinished.append(buffer, std::size_t(n));
    if (n == 0) {
      close(r.output);
      r.output = -1;
      if (!r.unfinished.empty()) r.unfinished += '\n';
    }
    for (std::size_t end; (end = r.unfinished.find('\n')) != std::string::npos;
         r.unfinished.erase(0, end + 1))
      say(with_number(r.number, r.unfinished.substr(0, end)));
  }

  static std::string with_number(int rank, const std::string& line) {
    const std::string number = "rank " + std::to_string(rank);
    return line.rfind(number + ": ", 0) == 0 ? line : "[" + number + "] " + line;
  }

  void signal_all(int signal) {
    for (const Rank& r : ranks_)
      if (!r.status) kill(r.process, signal);
  }

  void reap() {
    for (Rank& r : ranks_) {
      int status = 0;
      if (r.status || waitpid(r.process, &status, WNOHANG) != r.process) continue;
      r.status = status;
      const bool killed = WIFSIGNALED(status);
      const bool as_asked = killed && signal_count > 0 && WTERMSIG(status) == last_signal;
      const int code = as_asked ? 128 + WTERMSIG(status)
                       : killed ? int(Exit::ranks)
                                : WEXITSTATUS(status);
      if (code == 0 || first_failure_) continue;
      first_failure_ = code;
      deadline_ = Clock::now() + std::chrono::seconds(code == int(Exit::stopped) ? 60 : 5);
      if (killed && !as_asked) tell_killed(r, WTERMSIG(status));
    }
  }

  // The others find out by a broken connection; they stay silent when this has been told.
  void tell_killed(const Rank& rank, int signal) {
    const std::string text = "error[R0202]: rank " + std::to_string(rank.number) +
                             " was ended by signal " + std::to_string(signal) + " (" +
                             strsignal(signal) +
                             "): the other ranks are ended; the last complete checkpoint stays";
    server_.offer("failure", "starter:" + text);
    say(text);
  }

  StoreServer server_;
  std::vector<std::string> arguments_;
  std::vector<Rank> ranks_;
  std::optional<int> first_failure_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

int run_local_ranks(int ranks, const std::vector<std::string>& arguments) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : kPassedOn) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // who reads along may leave; ranks inherit it
  return LocalRanks(ranks, arguments).wait();
}

}  // namespace mortise::host
