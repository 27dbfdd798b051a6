#pragma once

#include <mortise/c/selector.h>

#include <cstdint>
#include <mortise/kit/structs.hpp>
#include <string>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// One thing that a stage does. `micro_batch` counts those of this rank from 0, `unit` is one of
/// the stage's own, `peer` the stage to send to or receive from.
///
/// forward, backward: a pass of the unit. weight_backward: runs what its backward pass has deferred
/// (WeightGradients); a unit and micro-batch without one has everything in backward.
/// send_activations: what the unit has made, for the next unit. receive_activations: what it needs,
/// from the unit before. send_gradients: the gradients of its inputs, for the unit before.
/// receive_gradients: those of its outputs, from the next unit. Sends do not wait, receives do;
/// what two stages exchange in one direction arrives in the order in which it is sent.
struct Action {
  enum class Kind : std::int32_t {
    forward,
    backward,
    weight_backward,
    send_activations,
    receive_activations,
    send_gradients,
    receive_gradients
  };
  Kind kind = Kind::forward;
  std::int64_t micro_batch = 0, unit = 0, peer = -1;
  bool operator==(const Action&) const = default;
};

constexpr Action::Kind last_enumerator(Action::Kind) { return Action::Kind::receive_gradients; }

/// What a unit of the model costs. `parameters`: elements, a tied weight counts in each of its
/// units. `flops`: floating-point operations of training for one token.
struct UnitCost {
  std::string name{};
  std::int64_t parameters = 0;
  double flops = 0;
};

/// Puts units on the stages of mesh axis `pp` and says what each stage does in a step: pipelines. A
/// run has at most one. `units`: how many the model has; `micro_batches`: of this rank.
/// `schedule_fault` (mortise/parallel/schedule_fault.hpp) says whether what it gives can run; the
/// host asks it before the first step.
///
/// Threads: step thread.
/// Ranks:   local; functions of their arguments and of what weigh() was told: equal on every rank.
class Selector : public Interface {
 public:
  /// Units of `stage`, ascending. Over all stages each unit stands once; no stage is empty.
  virtual std::vector<std::int64_t> units(std::int64_t stage, std::int64_t stages,
                                          std::int64_t units) const = 0;
  /// What `stage` does in a step, in order: each of its units once forward and once backward for
  /// each micro-batch. micro_batches is at least `stages`.
  virtual std::vector<Action> schedule(std::int64_t stage, std::int64_t stages, std::int64_t units,
                                       std::int64_t micro_batches) const = 0;
  /// Since 0.2. The units of the model in order, before units() and schedule() are asked for that
  /// many. A selector that does not weigh them need not listen.
  virtual void weigh(const std::vector<UnitCost>& units) { static_cast<void>(units); }
};

namespace kit {
template <>
struct members<Action> {
  MORTISE_MEMBERS(Action, mt_action);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(kind), MORTISE_MEMBER(micro_batch),
                                         MORTISE_MEMBER(unit), MORTISE_MEMBER(peer)};
};
template <>
struct members<UnitCost> {
  MORTISE_MEMBERS(UnitCost, mt_unit_cost);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(parameters), MORTISE_MEMBER(flops)};
};
}  // namespace kit

template <>
class Remote<Selector> final : public kit::RemoteBase<Selector, mt_selector_v1> {
 public:
  static constexpr const char* id = "mortise/selector/1";
  using Methods = kit::Methods<&Selector::units, &Selector::schedule, &Selector::weigh>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::vector<std::int64_t> units(std::int64_t stage, std::int64_t stages,
                                  std::int64_t units) const override {
    return call(&Table::units, &Selector::units, stage, stages, units);
  }
  std::vector<Action> schedule(std::int64_t stage, std::int64_t stages, std::int64_t units,
                               std::int64_t micro_batches) const override {
    return call(&Table::schedule, &Selector::schedule, stage, stages, units, micro_batches);
  }
  void weigh(const std::vector<UnitCost>& units) override {
    if (!has(&Table::weigh)) return Selector::weigh(units);
    call(&Table::weigh, &Selector::weigh, units);
  }
};

}  // namespace mortise
