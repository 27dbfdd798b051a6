// Tokenizer without a vocabulary file: each byte is its own id, and 256 ends a document. Any bytes,
// valid UTF-8 or not, come back unchanged.

#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>

namespace {

constexpr std::uint32_t kEndOfDocument = 256;

class ByteTokenizer final : public mortise::Tokenizer {
 public:
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return {bytes, bytes + text.size()};
  }

  std::string decode(std::span<const std::uint32_t> ids) const override {
    std::string text;
    text.reserve(ids.size());
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
  std::string fingerprint() const override { return "byte/1"; }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.byte_tokenizer", MORTISE_VERSION,
               mortise::component<ByteTokenizer, mortise::Tokenizer>(
                   "byte", "one id for each byte, and 256 for the end of a document"));
