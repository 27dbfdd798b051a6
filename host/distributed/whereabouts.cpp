#include "host/distributed/whereabouts.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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

Whereabouts* map(int descriptor, std::int64_t ranks) {
  void* memory = mmap(nullptr, bytes_of(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Whereabouts*>(memory);
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
    : descriptor_(memfd_create("mortise whereabouts", MFD_CLOEXEC)), ranks_(ranks), all_(nullptr) {
  if (descriptor_ >= 0 && ftruncate(descriptor_, off_t(bytes_of(ranks))) == 0)
    all_ = map(descriptor_, ranks);
  if (all_ == nullptr)
    throw Failure("R0105", Exit::ranks,
                  std::string("error[R0105]: local ranks cannot be started: shared memory: ") +
                      std::strerror(errno));
  for (int r = 0; r != ranks; ++r) new (all_ + r) Whereabouts;
}

SharedWhereabouts::~SharedWhereabouts() {
  munmap(all_, bytes_of(ranks_));
  close(descriptor_);
}

void share_whereabouts(std::int64_t rank, std::int64_t ranks) {
  const char* text = std::getenv(kWhereaboutsVariable);
  if (text != nullptr) {
    const int descriptor = std::atoi(text);
    unsetenv(kWhereaboutsVariable);  // it means nothing to what this process may start
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    if (Whereabouts* all = map(descriptor, ranks)) {
      current.store(all + rank);
      shared = {all, std::size_t(ranks)};
    }
  }
  whereabouts().process = getpid();
}

}  // namespace mortise::host
