#pragma once

#include <mortise/model/model.hpp>
#include <mortise/optim/optimizer.hpp>
#include <mortise/parallel/owner.hpp>

namespace mortise::host {

// What an engine is given instead of components, by somebody who looks on. Lent as long as both
// live.
class StandIns {
 public:
  virtual ~StandIns() = default;
  virtual Model& watch(Model& model) { return model; }
  virtual Owner& watch(Owner& owner) { return owner; }
  virtual Optimizer& watch(Optimizer& optimizer) { return optimizer; }
};

}  // namespace mortise::host
