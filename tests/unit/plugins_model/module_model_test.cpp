#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <mortise/model/module_model.hpp>

#include "checks.hpp"
#include "golden.hpp"
#include "loaded.hpp"
#include "model_run.hpp"

namespace mortise::tests {
namespace {

struct Head : torch::nn::Module {
  at::Tensor weight;
  explicit Head(const at::Tensor& values) { weight = register_parameter("weight", values); }
  at::Tensor forward(const at::Tensor& x) { return at::linear(x, weight); }
};

struct Net : torch::nn::Module {
  torch::nn::Embedding embed{nullptr};
  torch::nn::Linear layer{nullptr};
  std::shared_ptr<Head> head;
  explicit Net(bool tied = false) {
    embed = register_module("embed", torch::nn::Embedding(11, 6));
    const auto layers = register_module("layers", torch::nn::ModuleList());
    layers->push_back(layer = torch::nn::Linear(6, 6));
    head = register_module("head",
                           std::make_shared<Head>(tied ? embed->weight : noise_tensor(1, {11, 6})));
  }
  at::Tensor forward(const at::Tensor& tokens) {
    return head->forward(at::relu(layer(embed(tokens))));
  }
};

class Cut final : public ModuleModel<Net> {
 public:
  explicit Cut(std::shared_ptr<Net> net) : ModuleModel(net, parts(*net)) {
    set_role("embed.weight", Role::embedding);
  }

 private:
  static std::vector<Part> parts(Net& net) {
    return {part("embed", net.embed),
            part("layers.0",
                 [layer = net.layer](const at::Tensor& x) mutable { return at::relu(layer(x)); }),
            part("head", [&net](const at::Tensor& x) { return net.head->forward(x); })};
  }
};

Batch tokens() {
  Batch batch;
  batch.set("tokens", at::empty({2, 4}, at::kLong));
  batch.set("targets", at::empty({2, 4}, at::kLong));
  for (std::int64_t i = 0; i != 8; ++i) {
    batch["tokens"].mutable_data_ptr<std::int64_t>()[i] = i * 7 % 11;
    batch["targets"].mutable_data_ptr<std::int64_t>()[i] = i % 3 == 2 ? -100 : (i * 5 + 1) % 11;
  }
  return batch;
}

// Gradients of the module's parameters after one backward pass through `sum`.
Golden gradients_after(Net& net, const at::Tensor& sum) {
  for (const auto& p : net.parameters()) p.mutable_grad().reset();
  sum.backward();
  Golden all;
  for (const auto& p : net.named_parameters()) all[p.key()] = p.value().grad().clone();
  return all;
}

at::Tensor no_weight(const ParameterInfo& p) {
  FAIL("the module has its own ", p.name);
  return {};
}

}  // namespace

TEST_CASE("module_model: whole or cut, a module trains as it does alone") {
  for (const bool tied : {false, true}) {
    CAPTURE(tied);
    const auto net = std::make_shared<Net>(tied);
    const Batch batch = tokens();
    const Loaded<Loss> loss("cross_entropy");
    const at::Tensor logits = net->forward(batch["tokens"]);
    const Golden expected = gradients_after(
        *net, at::cross_entropy_loss(logits.flatten(0, 1), batch["targets"].flatten(), {},
                                     at::Reduction::Sum));
    ModuleModel<Net> whole(net);
    Cut cut(net);
    for (Model* model : {static_cast<Model*>(&whole), static_cast<Model*>(&cut)}) {
      ModelRun inference(*model, no_weight);
      CHECK(at::equal(inference.forward(batch), logits));
      ModelRun run(*model, no_weight, &*loss);
      for (const auto& [name, gradient] : gradients_after(*net, run.forward(batch)))
        CHECK(distance(gradient, expected.at(name)) < 1e-6);
    }
  }
}

TEST_CASE("module_model: its lists name units, roles and ties") {
  const Cut cut(std::make_shared<Net>(true));
  CHECK((cut.units() == Names{"embed", "layers.0", "head"}));
  const auto parameters = cut.parameters();
  CHECK(parameters.size() == 3);
  CHECK(parameters[0].name == "embed.weight");
  CHECK(parameters[0].role == Role::embedding);
  CHECK((parameters[0].units == std::vector<std::int64_t>{0, 2}));
  CHECK(parameters[1].name == "layers.0.weight");
  CHECK(parameters[1].role == Role::matrix);
  CHECK(parameters[1].depth == 0);
  CHECK(parameters[2].role == Role::bias);
  CHECK(cut.leaf(ParameterId(2)).dim() == 1);
  CHECK(cut.layers().size() == 1);
  CHECK((ModuleModel<Net>(std::make_shared<Net>()).units() == Names{"module"}));
}

TEST_CASE("module_model: parts that miss a parameter or name no child are refused") {
  const auto net = std::make_shared<Net>();
  using Model = ModuleModel<Net>;
  CHECK_THROWS_WITH_AS(
      Model(net, {Model::part("embed", net->embed), Model::part("layers.0", net->layer)}),
      "no part has the parameter head.weight", ConfigError);
  CHECK_THROWS_WITH_AS(Model(net, {Model::part("embedding", net->embed)}),
                       "the module has no child embedding", ConfigError);
}

TEST_CASE("module_model: buffers are listed, and evaluation is told to the module") {
  struct Normed : torch::nn::Module {
    torch::nn::BatchNorm1d norm{nullptr};
    Normed() { norm = register_module("norm", torch::nn::BatchNorm1d(3)); }
    at::Tensor forward(const at::Tensor& x) { return norm(x.to(at::kFloat)); }
  };
  const auto net = std::make_shared<Normed>();
  ModuleModel<Normed> model(net);
  const auto buffers = model.buffers();
  CHECK(buffers.size() == 3);
  CHECK(buffers[0].name == "norm.running_mean");
  CHECK((buffers[0].shape == Shape{3}));
  ModelRun run(model, no_weight);
  Batch batch;
  batch.set("tokens", at::ones({4, 3}, at::kLong));
  model.forward_unit({.phase = Phase::evaluate}, run, {}, batch);
  CHECK_FALSE(net->is_training());
  CHECK(net->norm->running_mean.abs().max().item<float>() == 0);
  model.forward_unit({.phase = Phase::forward}, run, {}, batch);
  CHECK(net->norm->running_mean.abs().max().item<float>() > 0);
}

}  // namespace mortise::tests
