// Initializer: normal numbers of one standard deviation everywhere; norms 1, biases 0.

#include <mortise/model/initializer.hpp>
#include <mortise/plugin.hpp>

#include "../normal_fill.hpp"

namespace {

using namespace mortise;

class PlainNormal final : public Initializer {
 public:
  struct Config {
    double std = 0.02;
    static constexpr auto settings() {
      return fields(field("std", &Config::std)
                        .at_least(0)
                        .doc("standard deviation")
                        .known_as("initializer_range", "init_std"));
    }
  };
  explicit PlainNormal(const Config& config) : config_(config) {}

  void fill(const Piece& piece, const ParameterInfo& parameter, std::uint64_t seed) override {
    normal_fill::fill(piece, parameter, seed, config_.std);
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.plain_normal", MORTISE_VERSION,
               component<PlainNormal, Initializer>("plain_normal",
                                                   "one standard deviation for all weights"));
