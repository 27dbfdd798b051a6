#pragma once

#include "host/loading/host_identity.hpp"

namespace mortise::host {

// What plugins are held against in this host: its SDK, LibTorch and the fingerprints of every
// interface that it knows.
HostIdentity host_identity();
const char* libtorch_version();

}  // namespace mortise::host
