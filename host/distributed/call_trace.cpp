#include "host/distributed/call_trace.hpp"

#include <cstring>

namespace mortise::host {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constexpr int kBitsOfOperation = 8;

std::uint64_t pack(const Call& call) {
  return std::uint64_t(call.bytes) << kBitsOfOperation | std::uint64_t(call.operation);
}

Call unpack(std::uint64_t packed) {
  return {Operation(packed & ((1u << kBitsOfOperation) - 1)),
          std::int64_t(packed >> kBitsOfOperation)};
}

}  // namespace

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::none:
      return "nothing";
    case Operation::rendezvous:
      return "the rendezvous";
    case Operation::connecting:
      return "connecting";
    case Operation::all_gather:
      return "all_gather";
    case Operation::reduce_scatter:
      return "reduce_scatter";
    case Operation::reduce_scatter_ordered:
      return "reduce_scatter_ordered";
    case Operation::all_to_all:
      return "all_to_all";
    case Operation::all_to_all_v:
      return "all_to_all_v";
    case Operation::all_reduce:
      return "all_reduce";
    case Operation::broadcast:
      return "broadcast";
    case Operation::send:
      return "send";
    case Operation::receive:
      return "receive";
    case Operation::barrier:
      return "barrier";
  }
  return "an unknown operation";
}

std::string text_of(const Call& call) {
  const std::string name = name_of(call.operation);
  return call.bytes == 0 ? name : name + " of " + std::to_string(call.bytes) + " bytes";
}

void CallTrace::begin(std::uint64_t id, const std::string& label) {
  id_ = id;
  std::strncpy(label_, label.c_str(), sizeof label_ - 1);
}

std::uint64_t CallTrace::add(const Call& call) {
  const std::uint64_t number = size_.load(std::memory_order_relaxed);
  calls_[number % kKept].store(pack(call), std::memory_order_relaxed);
  size_.store(number + 1);  // sequentially consistent: of two ranks one sees the other's call
  return number;
}

std::optional<Call> CallTrace::at(std::uint64_t number) const {
  if (number >= size_.load()) return std::nullopt;
  const Call call = unpack(calls_[number % kKept].load());
  // The place of one that is long ago may have been taken meanwhile, or be about to.
  return size_.load() - number < kKept ? std::optional(call) : std::nullopt;
}

}  // namespace mortise::host
