#pragma once

#include <mortise/model/layer_op.hpp>
#include <mortise/model/model.hpp>
#include <string>
#include <vector>

#include "host/engine/eager_ops.hpp"

namespace mortise::host {

// A layer operation of the run file and the layers that it is meant for.
struct LayerOpBinding {
  LayerOp* op = nullptr;
  std::string name;           // for messages
  std::string pattern = "*";  // of layer names
};

// Whether `name` matches `pattern`, in which * stands for any text.
bool matches(std::string_view pattern, std::string_view name);

// For each layer of a model: the links that bound to it, then the host's own operation.
class LayerChains {
 public:
  // Binds every op to every layer that matches; parameters of links are appended to `parameters`.
  // Throws ConfigError for a binding that took no layer at all.
  LayerChains(const Model& model, const std::vector<LayerOpBinding>& ops);

  const std::vector<ParameterInfo>& parameters() const { return parameters_; }
  const std::vector<Layer>& layers() const { return layers_; }
  const std::vector<BufferInfo>& buffers() const { return buffers_; }

  // Runs a layer. `leaves` are all parameters; those of the layer must be there.
  TensorList run(LayerId layer, Tensors inputs, const TensorList& leaves, bool training) const;
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
                  const TensorList& leaves, bool training) const;

  std::vector<ParameterInfo> parameters_;
  std::vector<Layer> layers_;
  std::vector<BufferInfo> buffers_;
  std::vector<Chain> chains_;
};

}  // namespace mortise::host
