#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mortise/parallel/connector.hpp>
#include <string>

#include "host/distributed/communicator.hpp"
#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

// What carries the collectives of a run; the default is Gloo. Lent to the mesh for its life.
struct Carriage {
  Connector* connector = nullptr;  // null: Gloo
  std::string name;                // of the connector, for messages
  // The connector is tried where all ranks of a group are on one host, and Gloo takes what it
  // cannot connect. False: what it cannot connect ends the run.
  bool automatic = false;
  // Of tensors that do not lie on the CPU, where this run has such; what lies on the CPU goes as
  // above.
  Connector* of_device = nullptr;
  std::string device = "cpu";
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

// Connects groups through a carriage. Every member of a group comes to the same decision.
class Carrier {
 public:
  Carrier(Carriage carriage, const RankEnvironment& ranks, std::shared_ptr<Rendezvous> rendezvous);
  // Throws Failure (exit configuration) where the connector has to and cannot.
  std::unique_ptr<Communicator> connect(const GroupRequest& request);

 private:
  bool on_one_host(const GroupRequest& request);
  std::unique_ptr<Communicator> on_cpu(const GroupRequest& request);
  std::unique_ptr<Communicator> through(Connector& connector, const GroupRequest& request,
                                        const std::string& device);

  Carriage carriage_;
  std::shared_ptr<Rendezvous> rendezvous_;
  std::string host_;
  std::map<std::int64_t, std::string> hosts_;  // of ranks, as they were asked for
  bool told_ = false;
};

}  // namespace mortise::host
