// Initializer: normal numbers; projections that add to the residual stream are scaled down by
// 1 / sqrt(2 * layers), since a model adds two of them in each block (Radford et al. 2019). Norms
// 1, biases 0.

#include <cmath>
#include <mortise/model/initializer.hpp>
#include <mortise/plugin.hpp>

#include "../normal_fill.hpp"

namespace {

using namespace mortise;

class ScaledNormal final : public Initializer {
 public:
  struct Config {
    double std = 0.02;
    std::int64_t layers = 0;
    std::vector<std::string_view> residual = {"o_proj", "down_proj", "c_proj"};
    static constexpr auto settings() {
      return fields(field("std", &Config::std)
                        .at_least(0)
                        .doc("standard deviation")
                        .known_as("initializer_range", "init_std"),
                    field("layers", &Config::layers)
                        .at_least(1)
                        .defaults_to("model.layers")
                        .doc("blocks of the model"),
                    field("residual", &Config::residual)
                        .doc("last parts of the names of layers that add to the residual stream"));
    }
  };
  explicit ScaledNormal(const Config& config) : config_(config) {
    if (config.layers < 1) throw ConfigError("layers is not set");
  }

  void fill(const Piece& piece, const ParameterInfo& parameter, std::uint64_t seed) override {
    const double scale =
        is_residual(parameter.name) ? 1 / std::sqrt(2.0 * double(config_.layers)) : 1;
    normal_fill::fill(piece, parameter, seed, config_.std * scale);
  }

 private:
  // "model.layers.0.self_attn.o_proj.weight" belongs to the layer o_proj.
  bool is_residual(std::string_view name) const {
    const std::string_view layer = name.substr(0, name.rfind('.'));
    const std::string_view last = layer.substr(layer.rfind('.') + 1);
    return std::find(config_.residual.begin(), config_.residual.end(), last) !=
           config_.residual.end();
  }

  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.scaled_normal", MORTISE_VERSION,
               component<ScaledNormal, Initializer>(
                   "scaled_normal", "normal weights, smaller where branches join the residual"));
