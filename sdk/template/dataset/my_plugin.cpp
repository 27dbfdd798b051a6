// Data set: numbers that count up, from another start in each sample.

#include <mortise/data/dataset.hpp>
#include <mortise/plugin.hpp>

namespace {

using mortise::field;

class MyPlugin final : public mortise::Dataset {
 public:
  struct Config {
    std::int64_t samples = 1000, numbers = 100, sequence_length = 0;

    static constexpr auto settings() {
      return mortise::fields(
          field("samples", &Config::samples).at_least(1).doc("how many samples there are"),
          field("numbers", &Config::numbers).at_least(2).doc("counting starts again after so many"),
          field("sequence_length", &Config::sequence_length)
              .at_least(1)
              .defaults_to("batch.sequence_length")
              .doc("inputs in a sample; one more token is read, the last target"));
    }
  };

  explicit MyPlugin(const Config& config) : config_(config) {}

  mortise::DatasetInfo info() const override {
    mortise::DatasetInfo info;
    info.source = "numbers below " + std::to_string(config_.numbers);
    info.samples = config_.samples;
    info.vocabulary_size = config_.numbers;
    info.largest_token = config_.numbers - 1;
    return info;
  }
  std::int64_t size() const override { return config_.samples; }

  std::vector<mortise::Sample> read(std::span<const std::int64_t> indices) const override {
    std::vector<mortise::Sample> samples;
    for (const std::int64_t index : indices) {
      std::vector<std::int64_t> tokens;
      for (std::int64_t i = 0; i <= config_.sequence_length; ++i)
        tokens.push_back((index + i) % config_.numbers);
      samples.push_back({{mortise::array_of("tokens", mortise::DType::int64, tokens)}});
    }
    return samples;
  }

  std::string where(std::int64_t index) const override {
    return "counting from " + std::to_string(index % config_.numbers);
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::Dataset>("my_plugin",
                                                              "numbers that count up"));
