#pragma once

#include <mortise/c/optimizer.h>

#include <mortise/kit/torch.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// One named tensor of a component's state: `value` holds the elements of `box`, in row order, of
/// a global tensor of `shape`.
struct State {
  std::string name{};
  Shape shape{};
  Box box{};
  at::Tensor value{};
};

/// An optional second interface of any component that has state to save.
///
/// Threads: step thread, between steps.
/// Ranks:   every rank gives its boxes; together they cover each tensor. On loading each rank is
///          given what it had listed, whatever number of ranks wrote it.
class Stateful : public Interface {
 public:
  virtual std::vector<State> state() const = 0;
  /// Takes the state back: the same names and boxes as state() gives at this moment.
  virtual void load(const std::vector<State>& state) = 0;
};

namespace kit {
template <>
struct members<State> {
  MORTISE_MEMBERS(State, mt_state);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(shape),
                                         MORTISE_MEMBER(box), MORTISE_MEMBER(value)};
};
}  // namespace kit

template <>
class Remote<Stateful> final : public kit::RemoteBase<Stateful, mt_stateful_v1> {
 public:
  static constexpr const char* id = "mortise/stateful/1";
  using Methods = kit::Methods<&Stateful::state, &Stateful::load>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::vector<State> state() const override { return call(&Table::state, &Stateful::state); }
  void load(const std::vector<State>& state) override {
    call(&Table::load, &Stateful::load, state);
  }
};

}  // namespace mortise
