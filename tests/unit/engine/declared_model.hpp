#pragma once

#include <mortise/model/declaration.hpp>

namespace mortise::tests {

// Declares layers and computes nothing.
class Declared final : public Model {
 public:
  explicit Declared(Declaration d) : d_(std::move(d)) {}
  std::vector<ParameterInfo> parameters() const override { return d_.parameters; }
  std::vector<Layer> layers() const override { return d_.layers; }
  Names units() const override { return d_.units; }
  TensorList forward_unit(const Visit&, UnitContext&, Tensors, const Batch&) override { return {}; }

 private:
  Declaration d_;
};

}  // namespace mortise::tests
