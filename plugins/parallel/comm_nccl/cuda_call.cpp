#include "cuda_call.hpp"

#include <mortise/error.hpp>

namespace mortise_nccl {

void check(cudaError_t result, const char* call) {
  if (result != cudaSuccess)
    throw mortise::Error(mortise::ErrorCode::failed,
                         std::string(call) + ": " + cudaGetErrorString(result));
}

void check(ncclResult_t result, const char* call) {
  if (result != ncclSuccess && result != ncclInProgress)
    throw mortise::Error(mortise::ErrorCode::failed,
                         std::string(call) + ": " + ncclGetErrorString(result));
}

}  // namespace mortise_nccl
