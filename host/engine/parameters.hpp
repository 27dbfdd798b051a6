#pragma once

#include <mortise/model/initializer.hpp>
#include <mortise/parallel/owner.hpp>

#include "host/engine/layer_chains.hpp"
#include "host/engine/plan.hpp"

namespace mortise::host {

// The autograd leaves of this rank's parameters, as the owner has placed them.
class Parameters {
 public:
  // Lets `owner` plan. Throws Error when it leaves a parameter out.
  Parameters(const LayerChains& chains, Model& model, Owner& owner, Plan& plan);

  const std::vector<ParameterInfo>& infos() const { return infos_; }
  const TensorList& leaves() const { return leaves_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  // Positions of the trainable parameters of a unit, ascending.
  const std::vector<std::size_t>& trainable_of(std::int64_t unit) const {
    return trainable_[std::size_t(unit)];
  }
  std::int64_t units() const { return std::int64_t(trainable_.size()); }
  std::int64_t first_trainable() const { return first_trainable_; }
  // Elements over all ranks.
  std::int64_t count() const;

  // First values of everything that this rank owns.
  void initialize(Initializer& initializer, std::uint64_t seed) const;
  // Takes the gradients of a unit's trainable parameters out of the leaves; undefined where another
  // rank gives them.
  TensorList take_gradients(std::int64_t unit) const;

 private:
  std::vector<ParameterInfo> infos_;
  TensorList leaves_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<std::size_t>> trainable_;
  std::int64_t first_trainable_;
  std::vector<bool> gives_gradient_;  // by parameter
};

// The lowest unit, of all stages, with a parameter to train. No gradient is wanted below it. With
// none at all, a number above every unit.
std::int64_t first_trainable_unit(const std::vector<ParameterInfo>& infos);

}  // namespace mortise::host
