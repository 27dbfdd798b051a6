// Collectives of ranks on one host: each rank has memory that the others read. What a rank gives
// is copied there when a call starts and taken from there when a peer waits for it; sums are made
// in rank order.

#include <mortise/parallel/connector.hpp>
#include <mortise/plugin.hpp>

#include "communicator.hpp"

namespace {

class SharedMemory final : public mortise::Connector {
 public:
  std::unique_ptr<mortise::Communicator> connect(const mortise::RankGroup& group,
                                                 mortise::GroupStore& store) override {
    if (group.device != "cpu")
      throw mortise::Error(
          mortise::ErrorCode::not_supported,
          "shared memory carries tensors of the CPU, these lie on " + group.device);
    return mortise_shared_memory::make_communicator(
        std::make_shared<mortise_shared_memory::Group>(group, store));
  }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.shared_memory", MORTISE_VERSION,
               mortise::component<SharedMemory, mortise::Connector>(
                   "shared_memory", "collectives among ranks of one host, sums in rank order"));
