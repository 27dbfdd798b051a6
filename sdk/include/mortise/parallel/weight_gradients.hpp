#pragma once

#include <mortise/c/parallel.h>

#include <functional>
#include <memory>
#include <mortise/kit/call.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// A part of a backward pass that is done later.
class WeightTask : public Interface {
 public:
  /// Does it: adds to the `grad` of leaves. Called once, or never when the step is given up.
  ///
  /// Errors:  what it throws ends the step, as if the backward function had thrown it.
  /// Threads: the one that drives the step, grad mode off.
  /// Ranks:   local, or collective where every rank deferred it.
  virtual void run() = 0;
};

/// Where a backward pass leaves the gradients of weights for later. A service of the host, for the
/// backward function of a layer operation.
///
/// The host runs the tasks of a visit in their order, before it takes the visit's gradients: at
/// once, or at the schedule's weight_backward. A task adds to the `grad` of leaves. It holds the
/// tensors that it needs; full parameters may be gone by then. Tasks die before the component that
/// made them, run or not.
///
/// Errors:  Error(bad_argument) outside of a backward pass.
/// Threads: any that runs backward functions.
/// Ranks:   local; a task may be collective if every rank defers it.
class WeightGradients : public Interface {
 public:
  /// Takes the task.
  virtual void add(std::unique_ptr<WeightTask> task) const = 0;

  void defer(std::function<void()> task) const {
    struct Function final : WeightTask {
      explicit Function(std::function<void()> f) : body(std::move(f)) {}
      void run() override { body(); }
      std::function<void()> body;
    };
    add(std::make_unique<Function>(std::move(task)));
  }
};

template <>
class Remote<WeightTask> : public kit::RemoteBase<WeightTask, mt_weight_task_v1> {
 public:
  static constexpr const char* id = "mortise/weight_task/1";
  using Methods = kit::Methods<&WeightTask::run>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void run() override { call(&Table::run, &WeightTask::run); }
};

namespace kit {
// The one object that crosses as an argument and stays.
template <>
struct crossing<std::unique_ptr<WeightTask>> {
  using Arg = mt_owned;
  static void destroy(void* self) { delete static_cast<WeightTask*>(self); }
  static Arg pack(std::unique_ptr<WeightTask>& task) {
    return {{&Remote<WeightTask>::table.head, task.release()}, &destroy};
  }
  struct Taken {
    mutable std::unique_ptr<WeightTask> task;
    operator std::unique_ptr<WeightTask>() const { return std::move(task); }
  };
  static Taken unpack(Arg task) { return {std::make_unique<Owned<WeightTask>>(task)}; }
};
}  // namespace kit

template <>
class Remote<WeightGradients> final
    : public kit::RemoteBase<WeightGradients, mt_weight_gradients_v1> {
 public:
  static constexpr const char* id = "mortise/weight_gradients/1";
  using Methods = kit::Methods<&WeightGradients::add>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void add(std::unique_ptr<WeightTask> task) const override {
    call(&Table::add, &WeightGradients::add, std::move(task));
  }
};

}  // namespace mortise
