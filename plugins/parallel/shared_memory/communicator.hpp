#pragma once

#include <memory>
#include <mortise/parallel/communicator.hpp>

#include "group.hpp"

namespace mortise_shared_memory {

std::unique_ptr<mortise::Communicator> make_communicator(std::shared_ptr<Group> group);

}  // namespace mortise_shared_memory
