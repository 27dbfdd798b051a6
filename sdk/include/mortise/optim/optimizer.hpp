#pragma once

#include <mortise/optim/piece.hpp>
#include <optional>

namespace [[gnu::visibility("hidden")]] mortise {

/// The extent of a slot: like the parameter, one number for each row or column, one in all, or a
/// shape of its own.
enum class SlotLike : std::int32_t { parameter, row, column, scalar, own };
constexpr SlotLike last_enumerator(SlotLike) { return SlotLike::own; }
struct Slot {
  std::string name{};
  SlotLike like = SlotLike::parameter;
  Shape shape{};
  DType dtype = DType::float32;
};
/// `whole_matrix`: step() wants this parameter unsharded. Where the owner shards it, one rank gets
/// the whole of it, with whole slots, and the others no piece of it; the host brings gradient and
/// master there and spreads the result.
struct SlotPlan {
  bool whole_matrix = false;
  std::vector<Slot> slots{};
};

/// Updates parameters. The host allocates the slots, starts them at zero, saves and reshards them;
/// an optimizer only steps.
///
/// Threads: step thread.
/// Ranks:   local: each rank steps the pieces that it is given, which may be none, or empty.
class Optimizer : public Interface {
 public:
  /// The slots that parameter `id` needs; nothing: it stays as it is. Asked once, before the first
  /// step, for each parameter that the run file gives to this optimizer.
  virtual std::optional<SlotPlan> slots(ParameterId id, const ParameterInfo& parameter) = 0;
  /// Updates each piece's master in place from its gradient and slots (in SlotPlan's order). When
  /// info.skip is 1, masters and slots stay untouched. Waits for nothing on the device.
  virtual void step(const std::vector<Piece>& pieces, const StepInfo& info) = 0;
};

namespace kit {
template <>
struct members<Slot> {
  MORTISE_MEMBERS(Slot, mt_slot);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(like),
                                         MORTISE_MEMBER(shape), MORTISE_MEMBER(dtype)};
};
template <>
struct members<SlotPlan> {
  MORTISE_MEMBERS(SlotPlan, mt_slot_plan);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(whole_matrix), MORTISE_MEMBER(slots)};
};
}  // namespace kit

template <>
class Remote<Optimizer> final : public kit::RemoteBase<Optimizer, mt_optimizer_v1> {
 public:
  static constexpr const char* id = "mortise/optimizer/1";
  using Methods = kit::Methods<&Optimizer::slots, &Optimizer::step>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::optional<SlotPlan> slots(ParameterId parameter_id, const ParameterInfo& parameter) override {
    return call(&Table::slots, &Optimizer::slots, parameter_id, parameter);
  }
  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    call(&Table::step, &Optimizer::step, pieces, info);
  }
};

}  // namespace mortise
