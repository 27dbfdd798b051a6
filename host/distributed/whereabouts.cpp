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

std::size_t bytes_of(std::int64_t ranks) { return std::size_t(ranks) * sizeof(Whereabouts); }

Whereabouts* map(int descriptor, std::int64_t ranks) {
  void* memory = mmap(nullptr, bytes_of(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Whereabouts*>(memory);
}

}  // namespace

void Whereabouts::wait_in(const char* name) {
  std::strncpy(operation, name, sizeof operation - 1);
  waiting_since.store(std::chrono::steady_clock::now().time_since_epoch().count());
}

void Whereabouts::saves_in(const std::string& folder) {
  if (folder.size() < sizeof run_folder) std::memcpy(run_folder, folder.c_str(), folder.size() + 1);
}

Whereabouts& whereabouts() { return *current.load(std::memory_order_relaxed); }

std::string place_of(const Whereabouts& rank) {
  const std::string step = std::to_string(rank.step.load());
  const std::string after = "after " + step + (step == "1" ? " step" : " steps");
  switch (rank.phase.load()) {
    case Phase::start:
      return "at the start";
    case Phase::training:
      return after;
    case Phase::evaluation:
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

void share_whereabouts(std::int64_t rank) {
  const char* text = std::getenv(kWhereaboutsVariable);
  if (text == nullptr) return;
  const int descriptor = std::atoi(text);
  unsetenv(kWhereaboutsVariable);  // it means nothing to what this process may start
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  if (Whereabouts* all = map(descriptor, rank + 1)) current.store(all + rank);
}

}  // namespace mortise::host
