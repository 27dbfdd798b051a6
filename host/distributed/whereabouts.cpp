#include "host/distributed/whereabouts.hpp"

#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

static_assert(std::atomic<std::int64_t>::is_always_lock_free);

Whereabouts own;
std::atomic<Whereabouts*> current{&own};
std::span<const Whereabouts> shared;

std::size_t bytes_of(std::int64_t ranks) { return std::size_t(ranks) * sizeof(Whereabouts); }

Whereabouts* attach(int segment) {
  void* memory = shmat(segment, nullptr, 0);
  return memory == reinterpret_cast<void*>(-1) ? nullptr : static_cast<Whereabouts*>(memory);
}

}  // namespace

void Whereabouts::wait_in(const AwaitedCall& call, std::int64_t now) {
  constexpr auto relaxed = std::memory_order_relaxed;  // a reader looks when nothing moves any more
  operation.store(call.operation, relaxed);
  trace.store(call.trace, relaxed);
  number.store(call.number, relaxed);
  bytes.store(call.bytes, relaxed);
  waiting_since.store(now, std::memory_order_release);
}

void Whereabouts::wait_in(Operation name) {
  wait_in({name}, std::chrono::steady_clock::now().time_since_epoch().count());
}

int Whereabouts::begin_trace(std::uint64_t id, const std::string& label) {
  const int place = traces_begun.load();
  if (place == kMostTraces) return -1;
  traces[place].begin(id, label);
  traces_begun.store(place + 1);
  return place;
}

const CallTrace* Whereabouts::trace_of(std::uint64_t id) const {
  const int begun = traces_begun.load();
  for (int i = 0; i != begun; ++i)
    if (traces[i].id() == id) return &traces[i];
  return nullptr;
}

void Whereabouts::saves_in(const std::string& folder) {
  if (folder.size() < sizeof run_folder) std::memcpy(run_folder, folder.c_str(), folder.size() + 1);
}

Whereabouts& whereabouts() { return *current.load(std::memory_order_relaxed); }
std::span<const Whereabouts> shared_whereabouts() { return shared; }

std::string place_of(const Whereabouts& rank) {
  const std::string step = std::to_string(rank.step.load());
  const std::string after = "after " + step + (step == "1" ? " step" : " steps");
  switch (rank.phase.load()) {
    case RunPhase::start:
      return "at the start";
    case RunPhase::training:
      return after;
    case RunPhase::evaluation:
      return "in the evaluation " + after;
    default:
      return "saving step " + step;
  }
}

SharedWhereabouts::SharedWhereabouts(int ranks)
    : segment_(shmget(IPC_PRIVATE, bytes_of(ranks), 0600)), all_(nullptr) {
  if (segment_ >= 0) all_ = attach(segment_);
  const int error = errno;
  if (segment_ >= 0) shmctl(segment_, IPC_RMID, nullptr);  // goes with the last that has it
  if (all_ == nullptr)
    throw Failure("R0105", Exit::ranks,
                  std::string("error[R0105]: local ranks cannot be started: shared memory: ") +
                      std::strerror(error));
  for (int r = 0; r != ranks; ++r) new (all_ + r) Whereabouts;
}

SharedWhereabouts::~SharedWhereabouts() { shmdt(all_); }

void share_whereabouts(std::int64_t rank, std::int64_t ranks) {
  const char* text = std::getenv(kWhereaboutsVariable);
  if (text != nullptr) {
    const int segment = std::atoi(text);
    unsetenv(kWhereaboutsVariable);  // it means nothing to what this process may start
    if (Whereabouts* all = attach(segment)) {
      current.store(all + rank);
      shared = {all, std::size_t(ranks)};
    }
  }
  whereabouts().process = getpid();
}

}  // namespace mortise::host
