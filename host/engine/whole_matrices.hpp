#pragma once

#include <mortise/model/parameter.hpp>
#include <mortise/optim/piece.hpp>
#include <mortise/parallel/communicator.hpp>
#include <vector>

namespace mortise::host {

// The parameters of an optimizer that wants them whole although the owner shards them. Each goes to
// one rank, which steps it; elements are dealt out so that ranks have about the same to do.
//
// Ranks: every call is collective.
class WholeMatrices {
 public:
  explicit WholeMatrices(Communicator& group);

  // The piece to be stepped: the whole parameter or, on ranks that do not step it, one with an
  // empty box. Where every rank holds all of it, its own. Throws Error when the ranks together do
  // not hold it once.
  Piece add(const Piece& mine, const ParameterInfo& info);
  // Brings gradients and masters to the ranks that step them.
  void bring();
  // Spreads the masters.
  void spread();

 private:
  struct Matrix {
    Piece mine, whole;
    std::vector<Box> boxes;  // of every rank
    std::int64_t stepper = 0;
  };
  std::vector<Box> boxes_of_all(const Box& mine) const;
  bool steps(const Matrix& m) const { return m.stepper == group_.rank(); }
  void bring(at::Tensor Piece::*member);

  Communicator& group_;
  std::vector<Matrix> matrices_;
  std::vector<std::int64_t> loads_;  // elements that each rank steps
};

}  // namespace mortise::host
