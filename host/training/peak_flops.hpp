#pragma once

#include <c10/core/Device.h>

#include <mortise/data/array.hpp>

namespace mortise::host {

// Floating-point operations a second that matrix products in `type` reach on this rank, with its
// threads: the best of a few products, about 50 ms. What `perf/mfu` is a share of when the run file
// states no peak.
double measured_peak_flops(DType type, at::Device device);

}  // namespace mortise::host
