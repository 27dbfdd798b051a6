#pragma once

#include <map>
#include <mortise/model/layer_op.hpp>
#include <mortise/model/model.hpp>
#include <mortise/pattern.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "host/engine/eager_ops.hpp"

namespace mortise::host {

// A layer operation of the run file and the layers that it is meant for.
struct LayerOpBinding {
  LayerOp* op = nullptr;
  std::string name;           // for messages
  std::string pattern = "*";  // of layer names
};

// What a visit offers to a buffer, by its position.
struct BufferUpdate {
  std::size_t buffer = 0;
  at::Tensor value;
};

// What links have kept while one text is decoded: by layer, place in its chain and name.
using KeptStates = std::map<std::tuple<std::size_t, std::size_t, std::string>, at::Tensor>;

class Buffers;

// What layers are applied with during one visit; lent.
struct VisitScope {
  const TensorList& leaves;  // of all parameters; those of the unit must be there
  const Buffers& buffers;
  KeptStates* kept;  // null outside of Phase::decode
  const Visit& visit;
  std::vector<BufferUpdate> updates{};

  bool is_training() const {
    return visit.phase == Phase::forward || visit.phase == Phase::recompute;
  }
  at::Tensor buffer(std::string_view name) const;
  void update(std::string_view name, const at::Tensor& value);
};

// For each layer of a model: the links that bound to it, then the host's own operation.
class LayerChains {
 public:
  // Binds every op to every layer that matches; parameters of links are appended to `parameters`.
  // Throws ConfigError for a binding that took no layer at all.
  LayerChains(const Model& model, const std::vector<LayerOpBinding>& ops);

  const std::vector<ParameterInfo>& parameters() const { return parameters_; }
  const std::vector<Layer>& layers() const { return layers_; }
  const std::vector<BufferInfo>& buffers() const { return buffers_; }

  // Runs a layer.
  TensorList run(LayerId layer, Tensors inputs, VisitScope& scope) const;
  // Whether every parameter of the layer belongs to `unit`.
  bool belongs(LayerId layer, std::int64_t unit) const;

 private:
  struct LinkPlace {
    LayerOp* op;
    std::vector<ParameterId> extra;
  };
  struct Chain {
    std::vector<LinkPlace> links;
    EagerOp end;
    std::vector<std::int64_t> units;  // empty: any
  };
  struct Next;
  void bind(const LayerOpBinding& binding);
  void find_units(std::size_t layer);
  TensorList step(std::size_t layer, std::size_t position, Tensors inputs, Tensors weights,
                  VisitScope& scope) const;

  std::vector<ParameterInfo> parameters_;
  std::vector<Layer> layers_;
  std::vector<BufferInfo> buffers_;
  std::vector<Chain> chains_;
};

}  // namespace mortise::host
