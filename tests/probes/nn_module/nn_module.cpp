// Model: a torch::nn::Module as somebody has it already, batch normalisation included.

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <mortise/model/module_model.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

struct Body : torch::nn::Module {
  torch::nn::Linear layer{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
  explicit Body(std::int64_t width) {
    layer = register_module("layer", torch::nn::Linear(width, width));
    norm = register_module("norm", torch::nn::BatchNorm1d(width));
  }
  at::Tensor forward(const at::Tensor& x) {
    return x + norm(layer(x).relu().flatten(0, 1)).view_as(x);
  }
};

struct Net : torch::nn::Module {
  torch::nn::Embedding embed{nullptr};
  std::shared_ptr<Body> body;
  torch::nn::Linear head{nullptr};
  Net(std::int64_t vocabulary, std::int64_t width) {
    embed = register_module("embed", torch::nn::Embedding(vocabulary, width));
    body = register_module("body", std::make_shared<Body>(width));
    head = register_module("head", torch::nn::Linear(width, vocabulary));
  }
};

class NnModule final : public ModuleModel<Net> {
 public:
  struct Config {
    std::int64_t vocabulary_size = 0, width = 0;
    static constexpr auto settings() {
      return fields(field("vocabulary_size", &Config::vocabulary_size)
                        .at_least(1)
                        .defaults_to("tokenizer.vocabulary_size")
                        .doc("rows of the embedding"),
                    field("width", &Config::width).required().at_least(1).doc("of each position"));
    }
  };
  explicit NnModule(const Config& c)
      : NnModule(std::make_shared<Net>(c.vocabulary_size, c.width)) {}

 private:
  explicit NnModule(const std::shared_ptr<Net>& net)
      : ModuleModel(net, {part("embed", net->embed),
                          part("body", [body = net->body.get()](
                                           const at::Tensor& x) { return body->forward(x); }),
                          part("head", net->head)}) {
    set_role("embed.weight", Role::embedding);
  }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.nn_module", MORTISE_VERSION,
               component<NnModule, Model>("nn_module", "a torch::nn::Module with batch norm"));
