#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "host/distributed/call_trace.hpp"

namespace mortise::host {

enum class RunPhase : std::int32_t { start, training, evaluation, saving };

// A call that a rank waits for.
struct AwaitedCall {
  Operation operation = Operation::none;
  int trace = -1;  // place of its group in Whereabouts::traces; -1: of none
  std::uint64_t number = 0;
  std::int64_t bytes = 0;
};

// Where a rank stands, for whoever tells that it, or a peer of it, is lost: its starter and its
// peers, with which it shares this memory, and signal handlers. Written by the step thread, read at
// any time.
struct Whereabouts {
  static constexpr int kMostTraces = 64;

  std::atomic<RunPhase> phase{RunPhase::start};
  std::atomic<std::int64_t> step{0};           // steps that are done
  std::atomic<std::int64_t> unit{-1};          // of the model, visited last; -1: none yet
  std::atomic<std::int64_t> waiting_since{0};  // nanoseconds of the steady clock; 0: does not wait
  // What it waits in, or has failed in.
  std::atomic<Operation> operation{Operation::none};
  std::atomic<std::int32_t> trace{-1};
  std::atomic<std::uint64_t> number{0};
  std::atomic<std::int64_t> bytes{0};
  std::atomic<std::int32_t> process{0};  // its id
  std::atomic<std::int32_t> traces_begun{0};
  CallTrace traces[kMostTraces];
  char run_folder[4096] = {};  // of a first rank that may save there

  void wait_in(const AwaitedCall& call, std::int64_t now);
  void wait_in(Operation operation);
  void go_on() { waiting_since.store(0, std::memory_order_relaxed); }
  // A trace of its own for a group; its place, or -1 where there is no room.
  int begin_trace(std::uint64_t id, const std::string& label);
  // Null: the rank has made no call there.
  const CallTrace* trace_of(std::uint64_t id) const;
  void saves_in(const std::string& folder);
};

// Of this process.
Whereabouts& whereabouts();
// Of all ranks, where their starter shares its memory with them; else none.
std::span<const Whereabouts> shared_whereabouts();

// "after 7 steps", "in the evaluation after 4 steps", "saving step 4"
std::string place_of(const Whereabouts& rank);

// The whereabouts of all ranks, in memory that their starter shares with them: a System V segment,
// which no limit on file sizes is for, and which goes with the last process that has it.
class SharedWhereabouts {
 public:
  explicit SharedWhereabouts(int ranks);
  ~SharedWhereabouts();
  SharedWhereabouts(const SharedWhereabouts&) = delete;
  const Whereabouts& operator[](int rank) const { return all_[rank]; }
  int segment() const { return segment_; }

 private:
  int segment_;
  Whereabouts* all_;
};

// From now on whereabouts() lies in the memory of a starter, if there is one that shares it.
void share_whereabouts(std::int64_t rank, std::int64_t ranks);
// The variable by which a starter tells its ranks the segment.
inline constexpr const char* kWhereaboutsVariable = "MORTISE_WHEREABOUTS";

}  // namespace mortise::host
