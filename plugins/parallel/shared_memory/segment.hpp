#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace mortise_shared_memory {

// What one rank says to the others of its group stands in a segment of its own: a header, rings of
// slots, and a heap that grows. The memory has no name and ends with the processes that have it
// mapped, however they end.

// Calls of one lane that may be under way; a rank that starts more waits for the oldest.
inline constexpr std::uint64_t kSlots = 1024;

enum class Operation : std::uint32_t {
  all_gather,
  reduce_scatter,
  reduce_scatter_ordered,
  all_to_all,
  all_to_all_v,
  all_reduce,
  broadcast,
  message,
  barrier
};
const char* name_of(Operation operation);

// One call as its rank gives it to the others.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> call;  // its number, counted from 1; written last
  Operation operation;
  std::atomic<std::uint32_t> readers;  // who have not taken it yet
  std::uint64_t offset, bytes;         // in the heap
};

struct alignas(64) Header {
  std::uint64_t token;
  std::atomic<std::uint32_t> news;      // moves with each call: what readers sleep on
  std::atomic<std::uint32_t> sleeping;  // readers that do
  std::atomic<std::uint32_t> closed;    // nothing more comes
};

// Lane 0 has the collectives of the group, lane 1 + r the messages to rank r.
class Segment {
 public:
  // A new one for a group of `ranks`. Throws std::system_error.
  static Segment made(std::int64_t ranks, std::uint64_t token);
  // The one that process `pid` has under its descriptor. Throws std::system_error, or
  // std::runtime_error where something else stands there.
  static Segment of_peer(pid_t pid, int descriptor, std::int64_t ranks, std::uint64_t token);
  Segment(Segment&& other) noexcept;
  Segment(const Segment&) = delete;
  ~Segment();

  int descriptor() const { return descriptor_; }
  Header& header() const { return *reinterpret_cast<Header*>(control_); }
  Slot& slot(std::int64_t lane, std::uint64_t call) const;
  // `bytes` of the heap from `offset`; valid until the next call.
  char* heap(std::uint64_t offset, std::uint64_t bytes);
  // The owner's: makes the heap at least this large. Throws std::system_error where there is no
  // memory.
  void grow_heap(std::uint64_t bytes);

 private:
  Segment(int descriptor, std::int64_t ranks);

  int descriptor_;
  std::uint64_t control_size_;
  char* control_ = nullptr;
  char* heap_ = nullptr;
  std::uint64_t mapped_ = 0;  // of the heap
};

}  // namespace mortise_shared_memory
