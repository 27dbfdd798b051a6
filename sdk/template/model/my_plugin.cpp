// Model: an embedding, residual blocks of norm and perceptron, a head. Each position sees its own
// token alone; an attention layer (declare_.attention) is what lets it look back.

#include <ATen/core/Tensor.h>

#include <mortise/model/declaration.hpp>
#include <mortise/plugin.hpp>

namespace {

using mortise::field;

class MyPlugin final : public mortise::Model {
 public:
  struct Config {
    std::int64_t width = 32, layers = 2, vocabulary_size = 0;

    static constexpr auto settings() {
      return mortise::fields(
          field("width", &Config::width).at_least(1).doc("numbers for each position"),
          field("layers", &Config::layers).at_least(1).doc("blocks"),
          field("vocabulary_size", &Config::vocabulary_size)
              .at_least(1)
              .defaults_to("tokenizer.vocabulary_size")
              .doc("rows of embedding and head"));
    }
  };

  explicit MyPlugin(const Config& c) {
    declare_.unit("embed");
    embed_ = declare_.embedding("embed", c.vocabulary_size, c.width);
    for (std::int64_t i = 0; i != c.layers; ++i) {
      const std::string name = "layers." + std::to_string(i);
      declare_.unit(name, i);
      blocks_.push_back({declare_.norm(name + ".norm", c.width, 1e-5),
                         declare_.linear(name + ".up", c.width, 4 * c.width),
                         declare_.activation(name + ".activation", "gelu"),
                         declare_.linear(name + ".down", 4 * c.width, c.width)});
    }
    declare_.unit("head");
    head_ = declare_.linear("head", c.width, c.vocabulary_size, false, mortise::Role::head);
  }

  std::vector<mortise::ParameterInfo> parameters() const override { return declare_.parameters; }
  std::vector<mortise::Layer> layers() const override { return declare_.layers; }
  mortise::Names units() const override { return declare_.units; }

  mortise::TensorList forward_unit(const mortise::Visit& visit, mortise::UnitContext& unit,
                                   mortise::Tensors hidden, const mortise::Batch& batch) override {
    if (visit.unit == 0) return {unit(embed_, batch["tokens"])};
    if (visit.unit > std::int64_t(blocks_.size())) return {unit.end(head_, hidden[0])};
    at::Tensor x = hidden[0];
    for (const mortise::LayerId layer : blocks_[std::size_t(visit.unit - 1)]) x = unit(layer, x);
    return {hidden[0].add(x)};
  }

 private:
  mortise::Declaration declare_;
  mortise::LayerId embed_{}, head_{};
  std::vector<std::array<mortise::LayerId, 4>> blocks_;
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::Model>("my_plugin", "residual perceptrons"));
