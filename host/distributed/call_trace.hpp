#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace mortise::host {

// What a rank can wait in.
enum class Operation : std::int32_t {
  none,
  rendezvous,
  connecting,
  all_gather,
  reduce_scatter,
  reduce_scatter_ordered,
  all_to_all,
  all_to_all_v,
  all_reduce,
  broadcast,
  send,
  receive,
  barrier
};
// "all_gather", "the rendezvous"
const char* name_of(Operation operation);

// One call of a group. `bytes` is the size of the larger tensor; 0 where ranks may give other
// sizes. What one rank sends and another receives is one call, a `send`.
struct Call {
  Operation operation = Operation::none;
  std::int64_t bytes = 0;
  bool operator==(const Call&) const = default;
};
// "all_gather of 4096 bytes"
std::string text_of(const Call& call);

// The last calls that a rank has made in one group, or on the way from one rank to another; calls
// count from 0. Written by the step thread, read at any time, also by other processes.
class CallTrace {
 public:
  static constexpr std::uint64_t kKept = 128;

  // Of a group that has made no call. `id` is equal on all its ranks; of the label as much is kept
  // as has room: "dp #2", "pp #0 from 0 to 1".
  void begin(std::uint64_t id, const std::string& label);
  // Adds a call and returns its number.
  std::uint64_t add(const Call& call);

  std::uint64_t id() const { return id_; }
  const char* label() const { return label_; }
  std::uint64_t size() const { return size_.load(); }
  // Nothing for one that is still to come, or too long ago.
  std::optional<Call> at(std::uint64_t number) const;

 private:
  std::uint64_t id_ = 0;
  char label_[32] = {};
  std::atomic<std::uint64_t> size_{0};
  std::atomic<std::uint64_t> calls_[kKept] = {};
};

}  // namespace mortise::host
