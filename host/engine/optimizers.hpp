#pragma once

#include <mortise/optim/optimizer.hpp>
#include <string>
#include <vector>

#include "host/engine/parameters.hpp"
#include "host/engine/whole_matrices.hpp"

namespace mortise::host {

// One optimizer of the run file and the parameters that it asks for: roles or name patterns;
// none: takes the rest.
struct OptimizerBinding {
  Optimizer* optimizer = nullptr;
  std::string name;
  std::vector<std::string> patterns;
  double learning_rate = 0;
};

std::string_view name_of(Role role);

// A slot of a piece, for checkpoints: this rank holds the elements of `box` of a tensor of `shape`.
struct SlotState {
  std::string name;  // "adamw.exp_avg/model.norm.weight"
  Piece piece;       // whose slot it is, as the optimizer steps it
  Slot slot;
  Shape shape;
  Box box;
  at::Tensor value;
};

// All optimizers of a run with their pieces and slots.
class Optimizers {
 public:
  // First match wins; no bindings at all: nothing is trained. Throws ConfigError listing the
  // parameters that none takes, and naming a pattern that matches nothing.
  // Collective over `group`, as step() is, where an optimizer wants whole matrices.
  Optimizers(std::vector<OptimizerBinding> bindings, const Parameters& parameters,
             Communicator& group);

  // Steps every optimizer with its learning rate times `factor`.
  void step(std::int64_t step, double factor, const at::Tensor& skip);
  std::vector<SlotState> slots() const;
  // Learning rate of the first one, as it was set.
  double learning_rate() const {
    return groups_.empty() ? 0 : groups_.front().binding.learning_rate;
  }

 private:
  struct Group {
    OptimizerBinding binding;
    std::vector<Piece> pieces;
    std::vector<SlotState> slots;
    WholeMatrices whole;
  };
  void give(Group& group, const Piece& piece, const ParameterInfo& info);
  std::vector<Group> groups_;
};

}  // namespace mortise::host
