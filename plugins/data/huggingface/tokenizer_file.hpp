#pragma once

// A tokenizer.json, read and turned into its parts.

#include <memory>
#include <mortise/data/tokenizer.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "added_tokens.hpp"
#include "decoder.hpp"
#include "json.hpp"
#include "model.hpp"
#include "normalizer_of.hpp"
#include "pre_tokenizer.hpp"
#include "vocabulary.hpp"

namespace mortise::huggingface {

// The parsed files; alive only while the parts are made.
class TokenizerFile {
 public:
  // Errors: DataError naming the file.
  static TokenizerFile open_file(const std::string& path);
  // Reads also tokenizer_config.json, if it is there.
  static TokenizerFile open_folder(const std::string& folder);

  const Json& tokenizer() const { return *tokenizer_; }
  const std::optional<Json>& config() const { return config_; }

 private:
  TokenizerFile() = default;
  static Json parse(const std::string& path, simdjson::dom::parser& parser);

  std::unique_ptr<simdjson::dom::parser> tokenizer_parser_, config_parser_;
  std::optional<Json> tokenizer_, config_;
};

// Threads: immutable after construction.
class TokenizerParts {
 public:
  // Errors: DataError for what the file asks for and we lack, and for what cannot be.
  TokenizerParts(const TokenizerFile& file, Spelled special);
  TokenizerParts(const TokenizerParts&) = delete;

  const normalizers::Normalizer* normalizer() const { return normalizer_.get(); }
  const AddedTokens& added() const { return *added_; }
  const PreTokenizer& pre_tokenizer() const { return *pre_tokenizer_; }
  const Model& model() const { return *model_; }

  std::vector<SpecialToken> special_roles() const { return roles_; }
  std::uint32_t end_id() const;
  std::string fingerprint() const { return fingerprint_; }
  // The text of `ids`; those in `without` and special tokens have none.
  // Errors: Error(bad_argument) for an id that is out of range.
  std::string decode(std::span<const std::uint32_t> ids,
                     const std::vector<SpecialToken>& without) const;

 private:
  void check_what_is_around(const Json& tokenizer) const;
  std::string fingerprint_of(const Json& tokenizer, Spelled special) const;
  // Nothing for special tokens, those in `without` and ids in a gap.
  std::optional<std::string_view> token_text(std::uint32_t id,
                                             const std::vector<SpecialToken>& without) const;

  Vocabulary vocabulary_;  // the model refers to it
  normalizers::NormalizerPtr normalizer_;
  std::unique_ptr<AddedTokens> added_;
  std::unique_ptr<PreTokenizer> pre_tokenizer_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<SpecialToken> roles_;
  std::string fingerprint_;
};

}  // namespace mortise::huggingface
