#pragma once

#include <mortise/model/unit_context.hpp>
#include <mortise/model/visit.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// A model as a chain of units: embedding, blocks, head.
///
/// It lists its parameters, layers, units and tensor-parallel plan as data and computes one unit at
/// a time. It owns no parameter storage and no random state, so sharding, recomputation and
/// pipelines need no line in it. `Declaration` (mortise/model/declaration.hpp) builds the lists.
///
/// Threads: the lists: any thread, equal every time. forward_unit: step thread.
/// Ranks:   local; what is collective happens inside layer operations.
class Model : public Interface {
 public:
  virtual std::vector<ParameterInfo> parameters() const = 0;
  virtual std::vector<Layer> layers() const = 0;
  /// Names of the units, in order.
  virtual Names units() const = 0;
  /// Computes unit `visit.unit`. Pure: may run twice, on any rank, and draws random numbers only
  /// from the default generator, which the engine seeds for each visit.
  ///
  /// Shapes: `hidden` is what the previous unit returned, empty for the first; by convention
  ///         [B, T, C]. The last unit returns what UnitContext::end gave.
  /// Grad:   flows through hidden and the parameters of this unit, no further.
  virtual TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                                  const Batch& batch) = 0;
  virtual std::vector<BufferInfo> buffers() const { return {}; }
  virtual std::vector<PlacementRule> placements() const { return {}; }
  /// A tensor of the model's own that must serve as parameter `p` (a registered parameter of a
  /// torch module): the owner gives it storage. Undefined, the usual case: the owner makes one.
  virtual at::Tensor leaf(ParameterId) const { return {}; }
};

template <>
class Remote<Model> final : public kit::RemoteBase<Model, mt_model_v1> {
 public:
  static constexpr const char* id = "mortise/model/1";
  using Methods =
      kit::Methods<&Model::parameters, &Model::layers, &Model::units, &Model::forward_unit,
                   &Model::buffers, &Model::placements, &Model::leaf>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::vector<ParameterInfo> parameters() const override {
    return call(&Table::parameters, &Model::parameters);
  }
  std::vector<Layer> layers() const override { return call(&Table::layers, &Model::layers); }
  Names units() const override { return call(&Table::units, &Model::units); }
  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    return call(&Table::forward_unit, &Model::forward_unit, visit, unit, hidden, batch);
  }
  std::vector<BufferInfo> buffers() const override {
    return call(&Table::buffers, &Model::buffers);
  }
  std::vector<PlacementRule> placements() const override {
    return call(&Table::placements, &Model::placements);
  }
  at::Tensor leaf(ParameterId p) const override { return call(&Table::leaf, &Model::leaf, p); }
};

}  // namespace mortise
