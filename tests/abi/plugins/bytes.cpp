// A tokenizer and a schedule that any version of the SDK compiles: NAME is part of the keys.

#include <mortise/data/tokenizer.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>

namespace {

constexpr std::uint32_t kEndOfDocument = 256;

class Bytes final : public mortise::Tokenizer {
 public:
  explicit Bytes(mortise::Context& context) { context.logger().info("bytes of " NAME); }
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return {bytes, bytes + text.size()};
  }
  std::string decode(std::span<const std::uint32_t> ids) const override {
    std::string text;
    for (const std::uint32_t id : ids) {
      if (id > kEndOfDocument) throw mortise::Error(mortise::ErrorCode::bad_argument, "no such id");
      if (id != kEndOfDocument) text.push_back(static_cast<char>(id));
    }
    return text;
  }
  std::int64_t vocabulary_size() const override { return kEndOfDocument + 1; }
  std::vector<mortise::SpecialToken> special_tokens() const override {
    return {{"end_of_document", kEndOfDocument}};
  }
  std::string fingerprint() const override { return "byte/1"; }
};

class Factor final : public mortise::LearningRateSchedule {
 public:
  struct Config {
    double factor = 1;
    static constexpr auto settings() {
      return mortise::fields(mortise::field("factor", &Config::factor).at_least(0));
    }
  };
  explicit Factor(const Config& config) : config_(config) {}
  double factor(const mortise::Progress&) const override { return config_.factor; }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.test." NAME, "1.0.0",
               mortise::component<Bytes, mortise::Tokenizer>(NAME "_bytes", "bytes"),
               mortise::component<Factor, mortise::LearningRateSchedule>(NAME "_factor",
                                                                         "one factor"));
