#pragma once

#include <memory>
#include <mortise/parallel/communicator.hpp>

namespace mortise::host {

// One group of ranks with a carrier for each place where tensors lie: what the host counts and
// says stays on the CPU and waits for no GPU. `device`: for all that is not on the CPU; it is asked
// for capabilities.
std::unique_ptr<Communicator> by_device(std::unique_ptr<Communicator> cpu,
                                        std::unique_ptr<Communicator> device);

}  // namespace mortise::host
