// Built with the SDK of newer_sdk.py, a version that does not exist yet: uses what today's host
// does not know, where `uses` says so.

#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>
#include <mortise/run/logger.hpp>

namespace {

using namespace mortise;

enum class Uses { nothing, needs, enumerator, method };

class Newer final : public Tokenizer {
 public:
  struct Config {
    Uses uses = Uses::nothing;
    static constexpr auto settings() {
      return fields(field("uses", &Config::uses)
                        .choice("nothing", Uses::nothing)
                        .choice("needs", Uses::needs)
                        .choice("enumerator", Uses::enumerator)
                        .choice("method", Uses::method)
                        .doc("of what is new"));
    }
  };
  Newer(const Config& config, Context& context) : config_(config) {
    if (config.uses == Uses::enumerator) context.logger().log(LogLevel::critical, "the end");
    if (config.uses == Uses::method) context.logger().flush();
  }
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return {bytes, bytes + text.size()};
  }
  std::string decode(std::span<const std::uint32_t>) const override { return "decoded"; }
  std::int64_t vocabulary_size() const override { return 257; }
  std::vector<SpecialToken> special_tokens() const override {
    return {{"end_of_document", 256, config_.uses == Uses::needs ? 2 : 1}};
  }
  std::string fingerprint() const override { return "byte/1"; }
  std::int64_t count(std::string_view text) const override { return std::int64_t(text.size()); }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.test.newer", "1.0.0",
               component<Newer, Tokenizer>("newer_bytes", "bytes"));
