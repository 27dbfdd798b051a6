#include "host/distributed/collective_time.hpp"

namespace mortise::host {
namespace {

thread_local std::chrono::nanoseconds spent{0};

}  // namespace

std::chrono::nanoseconds time_in_collectives() { return spent; }

InCollective::~InCollective() { spent += std::chrono::steady_clock::now() - start_; }

}  // namespace mortise::host
