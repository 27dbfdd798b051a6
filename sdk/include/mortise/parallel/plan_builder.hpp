#pragma once

#include <mortise/c/parallel.h>

#include <mortise/model/parameter.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// What the ranks along a mesh axis share: `micro_batches`, each rank has some of its own (data and
/// expert parallelism); `positions`, each rank has a part of every sequence (context parallelism);
/// `features`, each rank has the same sequences and a part of what is computed for each (tensor
/// parallelism): the loss is the same on all, and the first one's counts.
enum class Spread : std::int32_t { micro_batches, positions, features };
constexpr Spread last_enumerator(Spread) { return Spread::features; }

/// What a strategy sees of the model while it plans, and where it leaves what it decides. Lent for
/// the call of plan().
///
/// Errors: Error(bad_argument) naming axis or parameter for a call that makes no sense.
/// Ranks:  local; every rank makes the same calls, with boxes of its own.
class PlanBuilder : public Interface {
 public:
  /// All parameters: the model's, then those that links bound. ParameterId is the position.
  /// `units` are those that this rank computes; where they are empty, the parameter is not here and
  /// gets no tensor.
  virtual std::vector<ParameterInfo> parameters() const = 0;
  /// The part of each parameter that this rank computes with, after the cutters.
  virtual std::vector<Box> boxes() const = 0;
  /// How many units the model has.
  virtual std::int64_t units() const = 0;
  /// For an owner. Gives the full tensor of `parameter`, of the size of its box; storage may follow
  /// in before(). The engine makes it an autograd leaf if the parameter is trainable.
  virtual void place(ParameterId parameter, const at::Tensor& tensor) = 0;
  /// For a cutter, since 0.2. Takes `axis` (not `dp`, `dp_replicate`, `pp`) for itself.
  virtual void spread(std::string_view axis, Spread over) {
    static_cast<void>(axis), static_cast<void>(over), refuse("spread");
  }
  /// For a cutter, since 0.2. This rank computes with `box` of `parameter`; the ranks of `axis`,
  /// which is spread, have others. Gradients are then not summed over the axis.
  virtual void cut(ParameterId parameter, std::string_view axis, const Box& box) {
    static_cast<void>(parameter), static_cast<void>(axis), static_cast<void>(box), refuse("cut");
  }
  /// For an owner, since 0.2: the axes over which the gradient of `parameter` is summed, in the
  /// order of the mesh: `dp_replicate`, `dp` and those that are spread, without those that the
  /// parameter is cut over. Ask for all parameters, in their order: every rank gets the same.
  virtual Names summed_axes(ParameterId) const { return {"dp"}; }
  /// For an owner, since 0.2: where its tensors lie, "cpu" or "cuda:1".
  virtual std::string device() const { return "cpu"; }
  /// For a cutter, since 0.2: each rank of `axis`, which is spread over features, has a part of the
  /// gradient of `parameter`, which is not cut over it. Without this call all have the whole
  /// gradient, and the engine hands on the first one's; either way it is summed over the axis.
  virtual void partial(ParameterId parameter, std::string_view axis) {
    static_cast<void>(parameter), static_cast<void>(axis), refuse("partial");
  }
  /// For a cutter, since 0.2: Model::placements.
  virtual std::vector<PlacementRule> placements() const { return {}; }

 private:
  [[noreturn]] static void refuse(const char* call) {
    throw Error(ErrorCode::not_supported,
                std::string("this host has no cutters: PlanBuilder::") + call);
  }
};

template <>
class Remote<PlanBuilder> final : public kit::RemoteBase<PlanBuilder, mt_plan_builder_v1> {
 public:
  static constexpr const char* id = "mortise/plan_builder/1";
  using Methods = kit::Methods<&PlanBuilder::parameters, &PlanBuilder::boxes, &PlanBuilder::units,
                               &PlanBuilder::place, &PlanBuilder::spread, &PlanBuilder::cut,
                               &PlanBuilder::summed_axes, &PlanBuilder::device,
                               &PlanBuilder::partial, &PlanBuilder::placements>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::vector<ParameterInfo> parameters() const override {
    return call(&Table::parameters, &PlanBuilder::parameters);
  }
  std::vector<Box> boxes() const override { return call(&Table::boxes, &PlanBuilder::boxes); }
  std::int64_t units() const override { return call(&Table::units, &PlanBuilder::units); }
  void place(ParameterId parameter, const at::Tensor& tensor) override {
    call(&Table::place, &PlanBuilder::place, parameter, tensor);
  }
  void spread(std::string_view axis, Spread over) override {
    if (!has(&Table::spread)) return PlanBuilder::spread(axis, over);
    call(&Table::spread, &PlanBuilder::spread, axis, over);
  }
  void cut(ParameterId parameter, std::string_view axis, const Box& box) override {
    if (!has(&Table::cut)) return PlanBuilder::cut(parameter, axis, box);
    call(&Table::cut, &PlanBuilder::cut, parameter, axis, box);
  }
  Names summed_axes(ParameterId parameter) const override {
    if (!has(&Table::summed_axes)) return PlanBuilder::summed_axes(parameter);
    return call(&Table::summed_axes, &PlanBuilder::summed_axes, parameter);
  }
  std::string device() const override {
    if (!has(&Table::device)) return PlanBuilder::device();
    return call(&Table::device, &PlanBuilder::device);
  }
  void partial(ParameterId parameter, std::string_view axis) override {
    if (!has(&Table::partial)) return PlanBuilder::partial(parameter, axis);
    call(&Table::partial, &PlanBuilder::partial, parameter, axis);
  }
  std::vector<PlacementRule> placements() const override {
    if (!has(&Table::placements)) return PlanBuilder::placements();
    return call(&Table::placements, &PlanBuilder::placements);
  }
};

}  // namespace mortise
