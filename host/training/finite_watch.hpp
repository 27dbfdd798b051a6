#pragma once

#include <memory>
#include <mortise/model/model.hpp>
#include <mortise/parallel/owner.hpp>
#include <optional>
#include <string>

#include "host/engine/parameters.hpp"
#include "host/training/stand_ins.hpp"

namespace mortise::host {

// Looks for numbers that are not finite while an engine computes, by standing in front of its model
// and its owner; what they give is passed on as it is.
//
// Threads: that of the step; gradients are seen on autograd's.
class FiniteWatch final : public StandIns {
 public:
  FiniteWatch();
  ~FiniteWatch() override;
  FiniteWatch(const FiniteWatch&) = delete;

  using StandIns::watch;
  Model& watch(Model& model) override;
  Owner& watch(Owner& owner) override;

  // From now on; parameters that hold such a number already are found here.
  void start(const Parameters& parameters);
  // After the step: parameters that it has spoilt are found here.
  void finish();

  // The first of each that was found on this rank.
  struct Unit {
    std::int64_t unit = 0, micro_batch = 0;
    std::string phase;      // "forward", "backward"
    std::int64_t row = -1;  // the sequence of the micro-batch; -1: cannot be told
  };
  struct Parameter {
    std::string name, what;         // "value before the step", "gradient" …
    std::int64_t micro_batch = -1;  // -1: of the whole step
  };
  const std::optional<Unit>& unit() const { return unit_; }
  const std::optional<Parameter>& parameter() const { return parameter_; }

 private:
  class WatchedModel;
  class WatchedOwner;
  bool looks() const { return parameters_ != nullptr; }
  void see_outputs(const Visit& visit, Tensors outputs);
  void see_gradient(const Visit& visit, const at::Tensor& gradient);
  void see_gradients(const Visit& visit, Tensors gradients);
  void see_pieces(at::Tensor Piece::*part, const std::string& what);

  const Parameters* parameters_ = nullptr;
  std::unique_ptr<WatchedModel> model_;
  std::unique_ptr<WatchedOwner> owner_;
  std::optional<Unit> unit_;
  std::optional<Parameter> parameter_;
};

}  // namespace mortise::host
