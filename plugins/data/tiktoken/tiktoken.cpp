// Tokenizer: a rank file, the format of tiktoken, with the ids of tiktoken's encode_ordinary.

#include <simdjson.h>

#include <array>
#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>

#include "../bpe/pool.hpp"
#include "../encoding/utf8.hpp"
#include "../pbin/checksum.hpp"
#include "../pbin/mapped_file.hpp"
#include "../split/splitter.hpp"
#include "rank_encoder.hpp"
#include "rank_file.hpp"
#include "special_tokens.hpp"

namespace {

using mortise::field;
using mortise::bpe::IdList;
using namespace mortise::tiktoken;

std::vector<std::string> tokens_of(const mortise::pbin::MappedFile& file) {
  try {
    return read_ranks(file.bytes());
  } catch (const mortise::DataError& e) {
    throw mortise::DataError(file.path() + " is no rank file: " + e.what());
  }
}

class TikToken final : public mortise::Tokenizer {
 public:
  struct Config {
    std::string_view file;
    std::string_view pattern;
    std::vector<GivenToken> special_tokens;
    std::optional<std::string_view> end_of_document;

    static constexpr auto settings() {
      return mortise::fields(
          field("file", &Config::file).path().required().doc("rank file, NAME.tiktoken"),
          field("pattern", &Config::pattern)
              .required()
              .doc("how text is cut: gpt2, cl100k_base, o200k_base, qwen or llama3, each with its "
                   "special tokens, or a regular expression"),
          field("special_tokens", &Config::special_tokens)
              .doc("special tokens besides those of the pattern, or with other ids"),
          field("end_of_document", &Config::end_of_document)
              .doc("text of the special token that ends a document; <|endoftext|> or "
                   "<|end_of_text|> if there is one"));
    }
  };

  explicit TikToken(const Config& config)
      : TikToken(config, mortise::pbin::MappedFile(std::string(config.file)),
                 known_encoding(config.pattern)) {}

  std::vector<std::uint32_t> encode(std::string_view text) const override {
    const auto scratch = scratch_.borrow();
    IdList ids;
    encode(text, *scratch, ids);
    return ids.to_vector();
  }

  mortise::EncodedBatch encode_batch(const std::vector<std::string_view>& texts) const override {
    const auto scratch = scratch_.borrow();
    IdList ids;
    mortise::EncodedBatch batch;
    for (const std::string_view text : texts) {
      encode(text, *scratch, ids);
      batch.ends.push_back(std::int64_t(ids.size()));
    }
    batch.ids = ids.to_vector();
    return batch;
  }

  std::string decode(std::span<const std::uint32_t> ids) const override {
    std::string text;
    for (const std::uint32_t id : ids) {
      if (id >= special_.end_id())
        throw mortise::Error(mortise::ErrorCode::bad_argument,
                             "id " + std::to_string(id) + " is out of range: expected 0 to " +
                                 std::to_string(special_.end_id() - 1));
      if (id < tokens_.size()) text += tokens_[id];
    }
    return text;
  }

  std::int64_t vocabulary_size() const override { return special_.end_id(); }
  std::vector<mortise::SpecialToken> special_tokens() const override { return special_.roles(); }
  std::string fingerprint() const override { return fingerprint_; }

 private:
  TikToken(const Config& config, const mortise::pbin::MappedFile& file, const KnownEncoding* known)
      : tokens_(tokens_of(file)),
        special_(known, config.special_tokens, config.end_of_document,
                 static_cast<std::uint32_t>(tokens_.size())),
        splitter_(splitter_of(known != nullptr ? known->pattern : config.pattern)),
        encoder_(rank_encoder(tokens_)) {
    mortise::pbin::Checksum checksum;
    checksum.add(file.bytes());
    checksum.add(known != nullptr ? known->pattern : config.pattern);
    checksum.add(special_.description());
    fingerprint_ = "tiktoken/1/" + checksum.hex128();
  }

  static std::unique_ptr<mortise::split::Splitter> splitter_of(std::string_view pattern) {
    try {
      return mortise::split::splitter_for(pattern, mortise::split::Dialect::rust);
    } catch (const mortise::DataError& e) {
      throw mortise::ConfigError("pattern: expected one of " + std::string(known_names()) +
                                 ", or a regular expression: " + e.what());
    }
  }

  void encode(std::string_view text, mortise::bpe::Encoder::Scratch& scratch, IdList& ids) const {
    if (text.empty()) return;  // has no place to check
    if (simdjson::validate_utf8(text.data(), text.size())) return encode_valid(text, scratch, ids);
    encode_valid(mortise::encoding::valid_utf8(text), scratch, ids);
  }

  void encode_valid(std::string_view text, mortise::bpe::Encoder::Scratch& scratch,
                    IdList& ids) const {
    std::array<std::string_view, 256> words;
    std::size_t at = 0;
    while (const std::size_t count = splitter_->cut(text, at, words))
      encoder_.encode(std::span(words).first(count), text.data() + text.size(), scratch, ids);
  }

  std::vector<std::string> tokens_;
  SpecialTokens special_;
  std::unique_ptr<mortise::split::Splitter> splitter_;
  mortise::bpe::Encoder encoder_;
  std::string fingerprint_;
  mutable mortise::bpe::Pool<mortise::bpe::Encoder::Scratch> scratch_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.tiktoken", MORTISE_VERSION,
               mortise::component<TikToken, mortise::Tokenizer>(
                   "tiktoken", "a rank file of tiktoken: byte-pair encoding"));
