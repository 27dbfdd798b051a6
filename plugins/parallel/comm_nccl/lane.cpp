#include "lane.hpp"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>

namespace mortise_nccl {
namespace {

using mortise::Error;
using mortise::ErrorCode;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook(50);

c10::DeviceIndex device_of(const mortise::RankGroup& group) {
  const std::size_t colon = group.device.find(':');
  return c10::DeviceIndex(colon == std::string::npos ? 0
                                                     : std::stoi(group.device.substr(colon + 1)));
}

Lane::Ticket new_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  return {event, [](cudaEvent_t e) { cudaEventDestroy(e); }};
}

}  // namespace

Lane::Lane(const mortise::RankGroup& group, const ncclUniqueId& id)
    : group_(group), device_(device_of(group)) {
  const c10::cuda::CUDAGuard on_device{device_};
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  connect(id);
  watcher_ = std::thread([this] { watch(); });
}

// Without blocking, so that a member that does not come is noticed.
void Lane::connect(const ncclUniqueId& id) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  check(ncclCommInitRankConfig(&comm_, int(group_.ranks.size()), id, int(group_.rank), &config),
        "ncclCommInitRankConfig");
  const auto deadline = Clock::now() + std::chrono::duration<double>(group_.timeout);
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
    if (state == ncclInProgress && Clock::now() > deadline) {
      ncclCommAbort(std::exchange(comm_, nullptr));
      throw Error(ErrorCode::lost_rank, "connecting: a member has not come within run.timeout");
    }
    if (state == ncclInProgress) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  check(state, "ncclCommInitRankConfig");
}

// What is under way ends, on the device or by the watcher.
Lane::~Lane() {
  if (stream_ != nullptr) cudaStreamSynchronize(stream_);
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  if (watcher_.joinable()) watcher_.join();
  if (comm_ != nullptr) ncclCommAbort(comm_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Lane::Ticket Lane::start(const char* operation,
                         const std::function<void(ncclComm_t, cudaStream_t)>& call) {
  const c10::cuda::CUDAGuard on_device{device_};
  const std::lock_guard lock(mutex_);
  throw_if_failed(operation);
  const cudaStream_t current = c10::cuda::getCurrentCUDAStream(device_);
  const Ticket ready = new_event();
  check(cudaEventRecord(ready.get(), current), "cudaEventRecord");
  check(cudaStreamWaitEvent(stream_, ready.get(), 0), "cudaStreamWaitEvent");
  call(comm_, stream_);
  wait_until_begun(operation);
  const Ticket done = new_event();
  check(cudaEventRecord(done.get(), stream_), "cudaEventRecord");
  under_way_.push_back({operation, done, Clock::now()});
  return done;
}

// The first message to a peer connects with it, which takes until it comes.
void Lane::wait_until_begun(const char* operation) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(group_.timeout);
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(comm_, &state), operation);
    if (state != ncclInProgress || Clock::now() < deadline) continue;
    fail(std::string(operation) + " has not begun within run.timeout");
    throw_if_failed(operation);
  }
  check(state, operation);
}

void Lane::finish(const char* operation, const Ticket& ticket) {
  const c10::cuda::CUDAGuard on_device{device_};
  const std::lock_guard lock(mutex_);
  throw_if_failed(operation);
  check(cudaStreamWaitEvent(c10::cuda::getCurrentCUDAStream(device_), ticket.get(), 0),
        "cudaStreamWaitEvent");
}

void Lane::throw_if_failed(const char* operation) {
  if (failure_.empty()) return;
  throw Error(ErrorCode::lost_rank, std::string(operation) + " on rank " +
                                        std::to_string(group_.ranks[std::size_t(group_.rank)]) +
                                        " failed: a peer is lost or too late (" + failure_ + ")");
}

void Lane::watch() {
  const c10::cuda::CUDAGuard on_device{device_};
  while (look()) std::this_thread::sleep_for(kLook);
}

bool Lane::look() {
  const std::lock_guard lock(mutex_);
  if (ends_ || !failure_.empty()) return false;
  while (!under_way_.empty() && cudaEventQuery(under_way_.front().done.get()) == cudaSuccess)
    under_way_.pop_front();
  ncclResult_t state = ncclSuccess;
  ncclCommGetAsyncError(comm_, &state);
  if (state != ncclSuccess && state != ncclInProgress) fail(ncclGetErrorString(state));
  if (!under_way_.empty() &&
      Clock::now() - under_way_.front().since > std::chrono::duration<double>(group_.timeout))
    fail(std::string(under_way_.front().operation) + " has not ended within run.timeout");
  return failure_.empty();
}

// The kernels that wait for the peer end.
void Lane::fail(const std::string& why) {
  failure_ = why;
  ncclCommAbort(std::exchange(comm_, nullptr));
}

}  // namespace mortise_nccl
