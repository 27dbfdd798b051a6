#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

namespace mortise_nccl {

// Throw mortise::Error(failed) with what CUDA or NCCL says.
void check(cudaError_t result, const char* call);
void check(ncclResult_t result, const char* call);

}  // namespace mortise_nccl
