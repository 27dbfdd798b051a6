// Tokenizer of a tokenizer.json, the format of Hugging Face's `tokenizers`: BPE and Unigram models
// with the ids of that library, called without special tokens. docs/tokenizers.md has the rules.

#include <simdjson.h>

#include <filesystem>
#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>

#include "../bpe/pool.hpp"
#include "../encoding/utf8.hpp"
#include "../pbin/mapped_file.hpp"
#include "tokenizer_file.hpp"

namespace {

using mortise::field;
using mortise::huggingface::Model;
using mortise::huggingface::Pieces;
using mortise::huggingface::Spelled;
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
      : parts_(read(config), config.special_in_text), special_(parts_.special_roles()) {
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
    encode(text, *work, ids);
    return ids.to_vector();
  }

  mortise::EncodedBatch encode_batch(const std::vector<std::string_view>& texts) const override {
    const auto work = work_.borrow();
    mortise::bpe::IdList ids;
    mortise::EncodedBatch batch;
    for (const std::string_view text : texts) {
      encode(text, *work, ids);
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
  struct Work {
    Model::Scratch model;
    Pieces pieces;
  };

  static TokenizerFile read(const Config& config) {
    if (config.file.has_value() == config.folder.has_value())
      throw mortise::ConfigError("expected either file or folder, got " +
                                 std::string(config.file ? "both" : "neither"));
    return config.file ? TokenizerFile::open_file(std::string(*config.file))
                       : TokenizerFile::open_folder(std::string(*config.folder));
  }

  void encode(std::string_view text, Work& work, mortise::bpe::IdList& ids) const {
    if (text.empty()) return;
    if (simdjson::validate_utf8(text.data(), text.size())) return encode_valid(text, work, ids);
    encode_valid(mortise::encoding::valid_utf8(text), work, ids);
  }

  void encode_valid(std::string_view text, Work& work, mortise::bpe::IdList& ids) const {
    const auto on_token = [&](std::uint32_t id) { ids.push(id); };
    const auto* normalizer = parts_.normalizer();
    parts_.added().raw().split(
        text,
        [&](std::string_view part, std::size_t begin) {
          std::string changed;
          if (normalizer != nullptr) {
            changed = part;
            normalizer->apply(changed);
            part = changed;
          }
          parts_.added().normalized().split(
              part,
              [&](std::string_view words, std::size_t offset) {
                encode_words(words, begin == 0 && offset == 0, work, ids);
              },
              on_token);
        },
        on_token);
  }

  void encode_words(std::string_view text, bool at_start, Work& work,
                    mortise::bpe::IdList& ids) const {
    parts_.pre_tokenizer().cut(text, at_start, work.pieces,
                               [&](std::span<const std::string_view> words, const char* text_end) {
                                 parts_.model().encode(words, text_end, work.model, ids);
                               });
  }

  TokenizerParts parts_;
  std::vector<mortise::SpecialToken> special_;
  mutable mortise::bpe::Pool<Work> work_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.huggingface", MORTISE_VERSION,
               mortise::component<HuggingFace, mortise::Tokenizer>(
                   "huggingface", "tokenizer.json of Hugging Face's tokenizers: BPE and Unigram"));
