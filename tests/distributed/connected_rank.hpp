#pragma once

#include <chrono>
#include <numeric>
#include <string>

#include "host/distributed/carriage.hpp"
#include "tests/unit/loaded_component.hpp"

namespace mortise::tests {

// One of `size` forked ranks, which meet in the file `store`.
class ConnectedRank {
 public:
  ConnectedRank(int rank, int size, const std::string& store,
                std::chrono::milliseconds timeout = std::chrono::seconds(30))
      : plugin_("shared_memory", "shared_memory"),
        connector_(plugin_.as<Connector>()),
        rendezvous_(host::join_through_file(store, size, timeout)) {
    ranks_.rank = rank, ranks_.size = size;
    request_.own = rank;
    request_.timeout = timeout;
    request_.ranks.resize(std::size_t(size));
    std::iota(request_.ranks.begin(), request_.ranks.end(), 0);
  }
  // A new group of all ranks; the k-th call of each rank makes the same one.
  std::unique_ptr<Communicator> shared_memory() { return made_by(&connector_); }
  std::unique_ptr<Communicator> gloo() { return made_by(nullptr); }

 private:
  std::unique_ptr<Communicator> made_by(Connector* connector) {
    host::Carriage carriage;
    carriage.connector = connector;
    request_.name = "group" + std::to_string(made_++) + "/";
    return host::Carrier(carriage, ranks_, rendezvous_).connect(request_);
  }

  LoadedComponent plugin_;
  Remote<Connector> connector_;
  std::shared_ptr<host::Rendezvous> rendezvous_;
  host::RankEnvironment ranks_;
  host::GroupRequest request_;
  int made_ = 0;
};

}  // namespace mortise::tests
