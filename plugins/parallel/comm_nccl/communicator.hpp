#pragma once

#include <memory>
#include <mortise/parallel/communicator.hpp>

#include "lane.hpp"

namespace mortise_nccl {

// Messages to higher ranks and to lower ones have lanes of their own: two neighbours of a pipeline
// that both send before they receive do not wait for each other.
struct Lanes {
  std::shared_ptr<Lane> all, up, down;
};

std::unique_ptr<mortise::Communicator> make_communicator(Lanes lanes, std::int64_t rank,
                                                         std::int64_t size);

}  // namespace mortise_nccl
