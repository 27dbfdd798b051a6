#pragma once

#include <mortise/optim/piece.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Watches a run and may change parameters between steps: averages of weights, guards.
///
/// Threads: step thread.
/// Ranks:   made and called on every rank, with the pieces that this rank owns.
class Observer : public Interface {
 public:
  /// Once, before weights are initialised or a checkpoint is loaded: names and shapes of all
  /// parameters (ParameterId is the position), and what this rank will see in after_step.
  virtual void begin(const std::vector<ParameterInfo>&, const std::vector<Piece>&) {}
  virtual void before_step(const StepInfo&) {}
  virtual void after_step(const StepInfo&, const std::vector<Piece>&) {}
  /// Before a checkpoint of `step` is written.
  virtual void on_checkpoint(std::int64_t) {}
};

template <>
class Remote<Observer> final : public kit::RemoteBase<Observer, mt_observer_v1> {
 public:
  static constexpr const char* id = "mortise/observer/1";
  using Methods = kit::Methods<&Observer::before_step, &Observer::after_step,
                               &Observer::on_checkpoint, &Observer::begin>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void begin(const std::vector<ParameterInfo>& parameters,
             const std::vector<Piece>& pieces) override {
    if (has(&Table::begin)) call(&Table::begin, &Observer::begin, parameters, pieces);
  }
  void before_step(const StepInfo& info) override {
    call(&Table::before_step, &Observer::before_step, info);
  }
  void after_step(const StepInfo& info, const std::vector<Piece>& pieces) override {
    call(&Table::after_step, &Observer::after_step, info, pieces);
  }
  void on_checkpoint(std::int64_t step) override {
    call(&Table::on_checkpoint, &Observer::on_checkpoint, step);
  }
};

}  // namespace mortise
