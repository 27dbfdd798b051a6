// Tokenizer of a tokenizer.json, the format of Hugging Face's `tokenizers`: BPE and Unigram models
// with the ids of that library, called without special tokens. docs/tokenizers.md has the rules.

#include <filesystem>
#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>

#include "../bpe/pool.hpp"
#include "text_encoder.hpp"

namespace {

using mortise::field;
using mortise::huggingface::Spelled;
using mortise::huggingface::TextEncoder;
using mortise::huggingface::TokenizerFile;
using mortise::huggingface::TokenizerParts;

class HuggingFace final : public mortise::Tokenizer {
 public:
  struct Config {
    std::optional<std::string_view> file;
    std::optional<std::string_view> folder;
    Spelled special_in_text = Spelled::token;

    static constexpr auto settings() {
      return mortise::fields(
          field("file", &Config::file).path().doc("a tokenizer.json"),
          field("folder", &Config::folder)
              .path()
              .doc("folder with a tokenizer.json, and a tokenizer_config.json that names the end "
                   "of a document; instead of file"),
          field("special_in_text", &Config::special_in_text)
              .choice("token", Spelled::token)
              .choice("text", Spelled::text)
              .doc("what becomes of text that spells a special token: that token, or tokens of "
                   "its letters"));
    }
  };

  HuggingFace(const Config& config, mortise::Context& context)
      : parts_(read(config), config.special_in_text),
        encoder_(parts_),
        special_(parts_.special_roles()) {
    for (const std::string& moved : parts_.added().moved())
      context.logger().warning("added token " + moved +
                               " as the file says: so it is in Hugging Face's tokenizers, too");
    for (const mortise::SpecialToken& token : special_)
      if (token.name == "end_of_document")
        context.logger().info(
            "a document ends with the token " + std::to_string(token.id) +
            "; text that spells a special token becomes " +
            (config.special_in_text == Spelled::token ? "that token" : "tokens of its letters"));
  }

  std::vector<std::uint32_t> encode(std::string_view text) const override {
    const auto work = work_.borrow();
    mortise::bpe::IdList ids;
    encoder_.encode(text, *work, ids);
    return ids.to_vector();
  }

  mortise::EncodedBatch encode_batch(const std::vector<std::string_view>& texts) const override {
    const auto work = work_.borrow();
    mortise::bpe::IdList ids;
    mortise::EncodedBatch batch;
    for (const std::string_view text : texts) {
      encoder_.encode(text, *work, ids);
      batch.ends.push_back(std::int64_t(ids.size()));
    }
    batch.ids = ids.to_vector();
    return batch;
  }

  std::string decode(std::span<const std::uint32_t> ids) const override {
    return parts_.decode(ids, special_);
  }

  std::int64_t vocabulary_size() const override { return parts_.end_id(); }
  std::vector<mortise::SpecialToken> special_tokens() const override { return special_; }
  std::string fingerprint() const override { return parts_.fingerprint(); }

 private:
  static TokenizerFile read(const Config& config) {
    if (config.file.has_value() == config.folder.has_value())
      throw mortise::ConfigError("expected either file or folder, got " +
                                 std::string(config.file ? "both" : "neither"));
    return config.file ? TokenizerFile::open_file(std::string(*config.file))
                       : TokenizerFile::open_folder(std::string(*config.folder));
  }

  TokenizerParts parts_;
  TextEncoder encoder_;
  std::vector<mortise::SpecialToken> special_;
  mutable mortise::bpe::Pool<TextEncoder::Work> work_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.huggingface", MORTISE_VERSION,
               mortise::component<HuggingFace, mortise::Tokenizer>(
                   "huggingface", "tokenizer.json of Hugging Face's tokenizers: BPE and Unigram"));
