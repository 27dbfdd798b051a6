#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mortise/parallel/connector.hpp>
#include <mutex>
#include <string>
#include <thread>

#include "cuda_call.hpp"

namespace mortise_nccl {

// One NCCL communicator with a stream of its own. What is started on it runs beside the current
// stream, after what was issued there before.
//
// The host never waits for the device: finish() makes the current stream wait. A thread looks for
// calls that take longer than the time-out and for errors of peers; it ends the communicator, and
// the next start or finish throws Error(lost_rank).
class Lane {
 public:
  // `id`: of ncclGetUniqueId, equal on all members. Throws Error(lost_rank) when they do not come.
  Lane(const mortise::RankGroup& group, const ncclUniqueId& id);
  ~Lane();
  Lane(const Lane&) = delete;

  // A call that was started; finish() it once.
  using Ticket = std::shared_ptr<CUevent_st>;
  Ticket start(const char* operation, const std::function<void(ncclComm_t, cudaStream_t)>& call);
  void finish(const char* operation, const Ticket& ticket);

 private:
  struct UnderWay {
    const char* operation;
    Ticket done;
    std::chrono::steady_clock::time_point since;
  };
  void connect(const ncclUniqueId& id);
  void wait_until_begun(const char* operation);
  void watch();
  bool look();
  void fail(const std::string& why);
  void throw_if_failed(const char* operation);

  mortise::RankGroup group_;
  c10::DeviceIndex device_;
  ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::mutex mutex_;
  std::deque<UnderWay> under_way_;  // until the device is through
  std::string failure_;
  bool ends_ = false;
  std::thread watcher_;
};

}  // namespace mortise_nccl
