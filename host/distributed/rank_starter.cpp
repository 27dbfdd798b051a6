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
#include <utility>

#include "host/distributed/hang_report.hpp"
#include "host/distributed/rendezvous.hpp"
#include "host/distributed/whereabouts.hpp"
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

struct Place {
  int port, whereabouts;
};

std::vector<std::string> environment_for(int rank, int ranks, const Place& place) {
  std::vector<std::string> all;
  for (char** e = environ; *e != nullptr; ++e) all.emplace_back(*e);
  const auto set = [&](const std::string& name, const std::string& value) {
    std::erase_if(all, [&](const std::string& e) { return e.rfind(name + "=", 0) == 0; });
    all.push_back(name + "=" + value);
  };
  for (const char* name : {"RANK", "LOCAL_RANK"}) set(name, std::to_string(rank));
  for (const char* name : {"WORLD_SIZE", "LOCAL_WORLD_SIZE"}) set(name, std::to_string(ranks));
  set("MASTER_ADDR", "127.0.0.1");
  set("MASTER_PORT", std::to_string(place.port));
  set(kWhereaboutsVariable, std::to_string(place.whereabouts));
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
      : server_(count), whereabouts_(count), arguments_(std::move(arguments)) {
    for (int r = 0; r != count; ++r) start(r, count);
  }
  ~LocalRanks() {
    for (Rank& r : ranks_)
      if (r.output >= 0) close(r.output);
  }

  LocalOutcome wait() {
    while (std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& r) { return !r.status; })) {
      read_output();
      for (; passed_on_ < signal_count; ++passed_on_) pass_on(last_signal);
      reap();
      if (killed_ && (all_wait() || Clock::now() > *killed_told_by_)) tell_killed();
      if (first_failure_ && Clock::now() > *deadline_) kill_all();
    }
    read_output();
    if (killed_) tell_killed();
    const Whereabouts& first = whereabouts_[0];
    return {first_failure_.value_or(0), signal_count > 0, first.run_folder,
            first.phase.load() != RunPhase::start, any_killed_};
  }

 private:
  void start(int rank, int count) {
    std::vector<std::string> environment =
        environment_for(rank, count, {server_.port(), whereabouts_.segment()});
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

  // Queued, by which ranks tell it from one that was sent to them too.
  void pass_on(int signal) {
    for (const Rank& r : ranks_)
      if (!r.status) sigqueue(r.process, signal, {});
  }
  void kill_all() {
    for (const Rank& r : ranks_)
      if (!r.status) kill(r.process, SIGKILL);
  }

  void reap() {
    for (Rank& r : ranks_) {
      int status = 0;
      if (r.status || waitpid(r.process, &status, WNOHANG) != r.process) continue;
      r.status = status;
      const bool killed = WIFSIGNALED(status);
      any_killed_ = any_killed_ || killed || WEXITSTATUS(status) > 128;
      const bool as_asked = killed && signal_count > 0 && WTERMSIG(status) == last_signal;
      const int code = as_asked ? 128 + WTERMSIG(status)
                       : killed ? int(Exit::ranks)
                                : WEXITSTATUS(status);
      if (code == 0 || first_failure_) continue;
      first_failure_ = code;
      deadline_ = Clock::now() + std::chrono::seconds(code == int(Exit::stopped) ? 60 : 3);
      if (code > 128) stop_at_once(code - 128);
      if (killed && !as_asked) note_killed(r);
    }
  }

  // A second signal has reached a rank.
  void stop_at_once(int signal) {
    const std::string text = std::string("stopped at once by signal ") + std::to_string(signal) +
                             " (" + strsignal(signal) +
                             "): nothing was saved; the last complete checkpoint stays";
    server_.offer(kFailureKey, "starter:" + text);
    say(text);
    kill_all();
  }

  // The others find out by a broken connection; they stay silent when this has been told. What they
  // wait in then belongs to the message.
  void note_killed(const Rank& rank) {
    server_.offer(kFailureKey, "starter: rank " + std::to_string(rank.number) + " was ended");
    killed_ = rank;
    killed_told_by_ = Clock::now() + std::chrono::seconds(2);
  }

  bool all_wait() const {
    return std::all_of(ranks_.begin(), ranks_.end(), [&](const Rank& r) {
      return r.status || whereabouts_[r.number].waiting_since.load() != 0;
    });
  }

  void tell_killed() {
    const Rank rank = *std::exchange(killed_, std::nullopt);
    const int signal = WTERMSIG(*rank.status);
    std::string text = "error[R0202]: rank " + std::to_string(rank.number) +
                       " was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) +
                       ") " + place_of(whereabouts_[rank.number]) +
                       ": the other ranks are ended; the last complete checkpoint stays";
    std::vector<RankReport> others;
    for (const Rank& other : ranks_) {
      if (other.number == rank.number) continue;
      others.push_back(report_of(whereabouts_[other.number], other.number, 0));
      others.back().state = "";  // that it has given up meanwhile is no news
    }
    say(text + hang_table(others));
  }

  StoreServer server_;
  SharedWhereabouts whereabouts_;
  std::vector<std::string> arguments_;
  std::vector<Rank> ranks_;
  int passed_on_ = 0;  // signals
  std::optional<int> first_failure_;
  bool any_killed_ = false;
  std::optional<Clock::time_point> deadline_;
  std::optional<Rank> killed_;  // not told yet
  std::optional<Clock::time_point> killed_told_by_;
};

}  // namespace

LocalOutcome run_local_ranks(int ranks, const std::vector<std::string>& arguments) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : kPassedOn) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // who reads along may leave; ranks inherit it
  return LocalRanks(ranks, arguments).wait();
}

}  // namespace mortise::host
