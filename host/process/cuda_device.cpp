#include "host/process/cuda_device.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <unistd.h>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Failure("C0309", Exit::configuration,
                "error[C0309]: run.device: cuda: " + why + ": write cpu or auto");
}

}  // namespace

void require_cuda_driver() {
  if (access("/dev/nvidiactl", F_OK) != 0)
    refuse("there is no CUDA device that this LibTorch can use");
}

c10::Device open_cuda(std::int64_t local_rank) {
  require_cuda_driver();
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr)
    refuse(std::string("LibTorch's CUDA part cannot be opened (") + dlerror() +
           "); packaging/libtorch.sh --cuda gets what it needs");
  const int count = at::detail::getCUDAHooks().getNumGPUs();
  if (local_rank >= count)
    refuse("rank " + std::to_string(local_rank) +
           " of this host needs a GPU of its own, there are " + std::to_string(count));
  const c10::Device device(at::kCUDA, c10::DeviceIndex(local_rank));
  at::globalContext().lazyInitDevice(at::kCUDA);
  c10::impl::VirtualGuardImpl(at::kCUDA).setDevice(device);
  return device;
}

}  // namespace mortise::host
