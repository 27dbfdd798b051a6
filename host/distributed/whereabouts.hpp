#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace mortise::host {

enum class Phase : std::int32_t { start, training, evaluation, saving };

// Where a rank stands, for whoever tells that it, or a peer of it, is lost: its starter, which
// shares this memory, and signal handlers. Written by the step thread, read at any time.
struct Whereabouts {
  std::atomic<Phase> phase{Phase::start};
  std::atomic<std::int64_t> step{0};           // steps that are done
  std::atomic<std::int64_t> waiting_since{0};  // nanoseconds of the steady clock; 0: does not wait
  char operation[40] = {};                     // that it waits in, or that has failed
  char run_folder[4096] = {};                  // of a first rank that may save there

  // `name` is lent for the call.
  void wait_in(const char* name);
  void go_on() { waiting_since.store(0); }
  void saves_in(const std::string& folder);
};

// Of this process.
Whereabouts& whereabouts();

// "after 7 steps", "in the evaluation after 4 steps", "saving step 4"
std::string place_of(const Whereabouts& rank);

// The whereabouts of all ranks, in memory that their starter shares with them.
class SharedWhereabouts {
 public:
  explicit SharedWhereabouts(int ranks);
  ~SharedWhereabouts();
  SharedWhereabouts(const SharedWhereabouts&) = delete;
  const Whereabouts& operator[](int rank) const { return all_[rank]; }
  // Closed on exec; a rank needs it open.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_, ranks_;
  Whereabouts* all_;
};

// From now on whereabouts() lies in the memory of a starter, if there is one that shares it.
void share_whereabouts(std::int64_t rank);
// The variable by which a starter tells its ranks the descriptor.
inline constexpr const char* kWhereaboutsVariable = "MORTISE_WHEREABOUTS";

}  // namespace mortise::host
