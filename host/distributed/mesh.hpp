#pragma once

#include <chrono>
#include <memory>
#include <mortise/parallel/mesh.hpp>
#include <string>
#include <vector>

#include "host/distributed/call_order.hpp"
#include "host/distributed/carriage.hpp"
#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

struct AxisSize {
  std::string name;
  std::int64_t size = 1;
};

// The axes that a run file may name, the slowest first: what is exchanged most often lies on ranks
// that are next to each other. Size 0: `dp: auto`, the ranks that are left.
struct MeshSizes {
  std::vector<AxisSize> axes{{"pp"}, {"dp_replicate"}, {"dp", 0}, {"ep"}, {"cp"}, {"tp"}};
};
// The axes of a run on `ranks` ranks: dp and those that are larger than 1. Throws Failure (exit
// configuration) when the ranks cannot be divided so.
std::vector<AxisSize> axes_for(const MeshSizes& sizes, std::int64_t ranks);

// Arranges the ranks of a run along axes, the slowest first, and makes their groups.
class HostMesh final : public Mesh {
 public:
  // The product of the sizes is the number of ranks; throws Failure (exit configuration) with the
  // numbers otherwise. `order`, where there is one, sees every call of the groups.
  HostMesh(std::vector<AxisSize> axes, const RankEnvironment& ranks,
           std::shared_ptr<Rendezvous> rendezvous, std::chrono::milliseconds timeout,
           std::shared_ptr<CallOrder> order = nullptr, Carriage carriage = {});
  std::vector<MeshAxis> axes() const override { return axes_; }
  std::unique_ptr<Communicator> communicator(std::string_view axes) override;

 private:
  std::vector<std::int64_t> members(const std::vector<bool>& varies) const;

  std::vector<MeshAxis> axes_;
  RankEnvironment ranks_;
  std::chrono::milliseconds timeout_;
  Carrier carrier_;
  std::shared_ptr<CallOrder> order_;
  int made_ = 0;
};

}  // namespace mortise::host
