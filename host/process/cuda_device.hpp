#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace mortise::host {

// Opens LibTorch's CUDA part, which nothing links, and takes the GPU with this rank's number on
// this host. Before anything else asks LibTorch for CUDA.
// Throws Failure (exit configuration) with the reason where that cannot be.
c10::Device open_cuda(std::int64_t local_rank);
// Throws what open_cuda throws where there is no driver; opens nothing.
void require_cuda_driver();

}  // namespace mortise::host
