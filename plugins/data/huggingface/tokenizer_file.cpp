#include "tokenizer_file.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mortise/error.hpp>

#include "../pbin/mapped_file.hpp"
#include "special_roles.hpp"

namespace mortise::huggingface {

TokenizerFile TokenizerFile::open_file(const std::string& path) {
  TokenizerFile file;
  file.tokenizer_parser_ = std::make_unique<simdjson::dom::parser>();
  file.tokenizer_ = parse(path, *file.tokenizer_parser_);
  return file;
}

TokenizerFile TokenizerFile::open_folder(const std::string& folder) {
  const auto within = [&](const char* name) {
    return (std::filesystem::path(folder) / name).string();
  };
  TokenizerFile file = open_file(within("tokenizer.json"));
  const std::string config = within("tokenizer_config.json");
  std::error_code ignored;
  if (std::filesystem::exists(config, ignored)) {
    file.config_parser_ = std::make_unique<simdjson::dom::parser>();
    file.config_ = parse(config, *file.config_parser_);
  }
  return file;
}

Json TokenizerFile::parse(const std::string& path, simdjson::dom::parser& parser) {
  const pbin::MappedFile file(path);
  if (file.bytes().empty()) throw DataError(path + " is not valid JSON: it is empty");
  simdjson::dom::element root;
  if (const auto error = parser.parse(file.bytes().data(), file.bytes().size()).get(root))
    throw DataError(path + " is not valid JSON: " + simdjson::error_message(error));
  const Json json(root, path + ":");
  json.object();
  return json;
}

TokenizerParts::TokenizerParts(const TokenizerFile& file, Spelled special)
    : vocabulary_(vocabulary_of(file.tokenizer().at("model"))) {
  const Json& tokenizer = file.tokenizer();
  check_what_is_around(tokenizer);
  if (const auto section = tokenizer.find("normalizer")) normalizer_ = normalizer_of(*section);
  added_ = std::make_unique<AddedTokens>(tokenizer.find("added_tokens"), vocabulary_,
                                         normalizer_.get(), special);
  pre_tokenizer_ = std::make_unique<PreTokenizer>(tokenizer.find("pre_tokenizer"));
  model_ = model_of(tokenizer.at("model"), vocabulary_, pre_tokenizer_->alphabet());
  decoder_ = std::make_unique<Decoder>(tokenizer.find("decoder"));
  roles_ =
      huggingface::special_roles(file.config(), tokenizer, *added_, [&](std::string_view token) {
        const auto id = added_->find(token);
        return id ? id : vocabulary_.find(token);
      });
  fingerprint_ = fingerprint_of(tokenizer, special);
}

// Sections that do not change the ids that we give: a post-processor adds special tokens, which
// encode() leaves to its caller, but one that nobody knows might do anything.
void TokenizerParts::check_what_is_around(const Json& tokenizer) const {
  if (const auto version = tokenizer.find("version"); version && version->text() != "1.0")
    version->refuse_unsupported("version " + in_quotes(version->text()));
  if (const auto truncation = tokenizer.find("truncation"))
    truncation->refuse_unsupported("texts that are cut off");
  if (const auto padding = tokenizer.find("padding"))
    padding->refuse_unsupported("texts that are filled up");
  const auto post_processor = tokenizer.find("post_processor");
  if (!post_processor) return;
  static constexpr std::array<std::string_view, 5> known{
      "TemplateProcessing", "ByteLevel", "BertProcessing", "RobertaProcessing", "Sequence"};
  std::vector<Json> all{*post_processor};
  if (post_processor->type() == "Sequence") all = post_processor->at("processors").items();
  for (const Json& one : all)
    if (std::find(known.begin(), known.end(), one.type()) == known.end())
      one.refuse_unsupported("the post-processor " + in_quotes(one.type()));
}

std::uint32_t TokenizerParts::end_id() const {
  return std::max(vocabulary_.end_id(), added_->end_id());
}

std::string TokenizerParts::decode(std::span<const std::uint32_t> ids,
                                   const std::vector<SpecialToken>& without) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const std::uint32_t id : ids) {
    if (id >= end_id())
      throw Error(ErrorCode::bad_argument, "id " + std::to_string(id) +
                                               " is out of range: expected 0 to " +
                                               std::to_string(end_id() - 1));
    if (const auto text = token_text(id, without)) tokens.emplace_back(*text);
  }
  return tokens.empty() ? std::string() : decoder_->decode(std::move(tokens));
}

std::optional<std::string_view> TokenizerParts::token_text(
    std::uint32_t id, const std::vector<SpecialToken>& without) const {
  for (const SpecialToken& token : without)
    if (token.id == std::int64_t(id)) return std::nullopt;
  if (const AddedToken* added = added_->of(id)) {
    if (added_->is_special(added->looked_for)) return std::nullopt;
    return added->looked_for;
  }
  return vocabulary_.token(id);
}

std::string TokenizerParts::fingerprint_of(const Json& tokenizer, Spelled special) const {
  std::string facts;
  append_facts(tokenizer.at("model"), vocabulary_, facts);
  for (const char* key : {"normalizer", "pre_tokenizer"})
    if (const auto section = tokenizer.find(key))
      facts += std::string(key) + "=" + section->minified() + "\n";
  for (const AddedToken& token : added_->all()) {
    facts +=
        std::to_string(token.id) + " " + std::to_string(token.content.size()) + " " + token.content;
    for (const bool flag : {token.single_word, token.strips_left, token.strips_right,
                            token.normalized, token.special})
      facts += flag ? '1' : '0';
  }
  if (special == Spelled::text) facts += "special_in_text=text";
  const XXH128_hash_t hash = XXH3_128bits(facts.data(), facts.size());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "huggingface/1:";
  for (const XXH64_hash_t half : {hash.high64, hash.low64})
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[half >> shift & 15];
  return text;
}

}  // namespace mortise::huggingface
