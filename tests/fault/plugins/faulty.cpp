// Components for tests that end badly, in a call, at a step and on a rank that their settings
// choose. The steps that are done are counted by the observer `faulty`.

#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mortise/model/layer_op.hpp>
#include <mortise/plugin.hpp>
#include <mortise/run/metric_sink.hpp>
#include <mortise/run/observer.hpp>
#include <mortise/run/stateful.hpp>
#include <stdexcept>
#include <thread>

namespace {

using namespace mortise;

std::int64_t steps_done = 0;

struct Hidden {};  // known in this file alone

bool is_rank(std::int64_t rank) {
  const char* own = std::getenv("RANK");
  return rank < 0 || std::atoi(own == nullptr ? "0" : own) == rank;
}

int* nowhere() {
  static int* volatile pointer = nullptr;  // hidden from the compiler
  return pointer;
}

std::size_t without_end(std::size_t depth) {
  volatile char room[1024];
  room[depth % sizeof room] = 1;
  return depth + 1 == 0 ? 0 : without_end(depth + 1) + std::size_t(room[0]);
}

void send(pid_t process, int signal = SIGTERM) { kill(process, signal); }

// Of all processes that are started in this folder.
bool is_first_time() {
  return open("killed_once", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644) >= 0;
}

void act(const std::string& how) {
  if (how == "kill" || (how == "kill_once" && is_first_time())) kill(getpid(), SIGKILL);
  if (how == "stop") kill(getpid(), SIGSTOP);
  if (how == "standard") throw std::out_of_range("the ninth of eight");
  if (how == "torch") TORCH_CHECK(false, "the ninth of eight tensors");
  if (how == "own") throw Hidden{};
  if (how == "integer") throw 42;
  if (how == "dereference") *nowhere() = 1;
  if (how == "dereference_in_thread") std::thread([] { std::memset(nowhere(), 1, 8); }).join();
  if (how == "throw_in_thread")
    std::thread([] { throw std::out_of_range("the ninth of eight"); }).join();
  if (how == "abort") std::abort();
  if (how == "endless") without_end(0);
  if (how == "exit") std::exit(0);
  if (how == "ask" || how == "ask_twice" || how == "ask_all") send(getpid());
  if (how == "ask_with_user_signal") send(getpid(), SIGUSR1);
  if (how == "ask_twice") send(getpid());
  if (how == "ask_starter" || (how == "ask_all" && is_rank(0))) send(getppid());
}

// What goes wrong, where and when.
class Fault {
 public:
  struct Config {
    std::string_view call = "none", how = "kill";
    std::int64_t at = 0, rank = -1;

    static constexpr auto settings() {
      return fields(field("call", &Config::call), field("how", &Config::how),
                    field("at", &Config::at).doc("after so many steps"),
                    field("rank", &Config::rank).doc("on this one; -1: on all"));
    }
  };

  explicit Fault(const Config& config)
      : call_(config.call), how_(config.how), at_(config.at), rank_(config.rank) {}

  void maybe(std::string_view now) const {
    if (over_ || now != call_ || steps_done < at_ || !is_rank(rank_)) return;
    over_ = true;
    act(how_);
  }

 private:
  std::string call_, how_;
  std::int64_t at_, rank_;
  mutable bool over_ = false;
};

class FaultyOp final : public LayerOp {
 public:
  using Config = Fault::Config;
  explicit FaultyOp(const Config& config) : fault_(config) { fault_.maybe("create"); }
  std::optional<Link> bind(LayerId, const Layer&, const std::vector<ParameterInfo>&) override {
    return Link{};
  }
  TensorList apply(LayerId, Tensors inputs, Tensors weights, Tensors, OpCall& next) override {
    fault_.maybe(at::GradMode::is_enabled() ? "forward" : "evaluation");
    return next.next(inputs, weights);
  }

 private:
  Fault fault_;
};

class FaultyObserver final : public Observer, public Stateful {
 public:
  using Config = Fault::Config;
  explicit FaultyObserver(const Config& config) : fault_(config) { fault_.maybe("create"); }
  ~FaultyObserver() override { fault_.maybe("destroy"); }
  void before_step(const StepInfo& info) override {
    steps_done = info.step;
    fault_.maybe("before_step");
  }
  void after_step(const StepInfo& info, const std::vector<Piece>&) override {
    steps_done = info.step + 1;
    fault_.maybe("after_step");
  }
  void on_checkpoint(std::int64_t step) override {
    steps_done = step;
    fault_.maybe("save");
  }
  std::vector<State> state() const override {
    fault_.maybe("state");
    return {};
  }
  void load(const std::vector<State>&) override {}

 private:
  Fault fault_;
};

class FaultySink final : public MetricSink {
 public:
  using Config = Fault::Config;
  explicit FaultySink(const Config& config) : fault_(config) {}
  ~FaultySink() override { fault_.maybe("destroy"); }
  void begin(const RunInfo&) override { fault_.maybe("begin"); }
  void write(const StepRecord& record) override {
    steps_done = std::max(steps_done, record.step);
    fault_.maybe("write");
  }
  void message(LogLevel, std::string_view) override {}
  void flush() override {}

 private:
  Fault fault_;
};

// MORTISE_TEST_LOST_AT_LOAD=RANK:HOW names a rank that does not get beyond loading its plugins.
[[maybe_unused]] const bool loaded = [] {
  const char* where = std::getenv("MORTISE_TEST_LOST_AT_LOAD");
  if (where != nullptr && is_rank(std::atoi(where))) act(std::strchr(where, ':') + 1);
  return true;
}();

}  // namespace

MORTISE_PLUGIN("org.mortise.test.faulty", MORTISE_VERSION,
               component<FaultyOp, LayerOp>("faulty", "passes on, or ends badly"),
               component<FaultyObserver, Observer, Stateful>("faulty", "counts, or ends badly"),
               component<FaultySink, MetricSink>("faulty", "writes nothing, or ends badly"));
