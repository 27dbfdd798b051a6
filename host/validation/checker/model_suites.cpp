#include <mortise/model/declaration.hpp>

#include "host/validation/checker/suites.hpp"
#include "sdk/conformance/model/initializer_contract.hpp"
#include "sdk/conformance/model/layer_op_contract.hpp"
#include "sdk/conformance/model/loss_contract.hpp"
#include "sdk/conformance/model/model_contract.hpp"

namespace mortise::host {
namespace {

using conformance::Report;

constexpr std::int64_t kVocabulary = 11, kLength = 6;

// In float32, as the host computes.
void model(Model& m, Subject& subject, Report& report) {
  const std::int64_t length = std::min(kLength, subject.number("context_length", kLength));
  conformance::check_model_contract(
      m,
      {conformance::token_batch(subject.number("vocabulary_size", kVocabulary), 2, length),
       at::kFloat, conformance::kFloat32Differences},
      report);
}
void loss(Loss& l, Subject&, Report& report) { conformance::check_loss_contract(l, report); }
void initializer(Initializer& i, Subject&, Report& report) {
  conformance::check_initializer_contract(i, report);
}

at::Tensor values(const char* name, const Shape& shape) {
  return conformance::sample_values(name, shape).to(at::kFloat);
}

// One layer of each operation that the host knows, as a model declares it.
std::vector<conformance::LayerOpCase> layers() {
  Declaration declare;
  declare.unit("block");
  declare.linear("proj", 4, 5);
  declare.embedding("embed", 7, 4);
  declare.norm("norm", 4, 1e-5);
  declare.attention("attention", 8);
  declare.activation("activation", "gelu");
  const at::Tensor rows = values("input", {3, 4}), ids = at::arange(6, at::kLong).view({2, 3});
  const TensorList heads = {values("query", {1, 2, 3, 4}), values("key", {1, 2, 3, 4}),
                            values("value", {1, 2, 3, 4})};
  const std::vector<TensorList> inputs = {{rows}, {ids}, {rows}, heads, {rows}};
  std::vector<conformance::LayerOpCase> all;
  for (std::size_t i = 0; i != declare.layers.size(); ++i) {
    conformance::LayerOpCase& c = all.emplace_back();
    c.layer = declare.layers[i];
    c.inputs = inputs[i];
    for (const ParameterId p : c.layer.parameters)
      c.own.push_back(declare.parameters[std::size_t(p)]);
  }
  return all;
}

// The layers that it takes.
void layer_op(Subject& subject, Report& report) {
  bool binds = false;
  for (const conformance::LayerOpCase& c : layers()) {
    const std::unique_ptr<Instance> asked = subject.make(), checked = subject.make();
    if (!asked->as<LayerOp>().bind(LayerId(0), c.layer, c.own)) continue;
    binds = true;
    const auto scope = report.inside(c.layer.op);
    Remote<LayerOp> op = checked->as<LayerOp>();
    conformance::check_layer_op_contract(op, c, report);
  }
  report.expect(binds, "bind: takes a linear, embedding, norm, attention or activation layer");
}

}  // namespace

Suites model_suites() {
  return {suite_of<Model, model>(),
          suite_of<Loss, loss>(),
          suite_of<Initializer, initializer>(),
          {Remote<LayerOp>::id, layer_op}};
}

}  // namespace mortise::host
