// Tokenizer: one id for each byte, and one more for the end of a document.

#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>

namespace {

constexpr std::uint32_t kEndOfDocument = 256;

class MyPlugin final : public mortise::Tokenizer {
 public:
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return {bytes, bytes + text.size()};
  }

  std::string decode(std::span<const std::uint32_t> ids) const override {
    std::string text;
    for (const std::uint32_t id : ids) {
      if (id > kEndOfDocument)
        throw mortise::Error(mortise::ErrorCode::bad_argument,
                             "id " + std::to_string(id) + " is out of range: expected 0 to 256");
      if (id != kEndOfDocument) text.push_back(static_cast<char>(id));
    }
    return text;
  }

  std::int64_t vocabulary_size() const override { return kEndOfDocument + 1; }
  std::vector<mortise::SpecialToken> special_tokens() const override {
    return {{"end_of_document", kEndOfDocument}};
  }
  // Change it whenever a text gets other ids: packed data carries it.
  std::string fingerprint() const override { return "my_plugin/1"; }
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::Tokenizer>("my_plugin",
                                                                "one id for each byte"));
