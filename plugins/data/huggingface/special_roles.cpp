#include "special_roles.hpp"

namespace mortise::huggingface {

namespace {

struct Role {
  const char* name;
  const char* config_key;
  std::vector<std::string_view> usual;  // first ones first
};

const std::vector<Role>& roles() {
  static const std::vector<Role> all{
      {"end_of_document",
       "eos_token",
       {"<|endoftext|>", "<|end_of_text|>", "</s>", "<｜end▁of▁sentence｜>", "<eos>", "<|EOT|>",
        "<EOT>", "[EOS]"}},
      {"begin_of_document",
       "bos_token",
       {"<|begin_of_text|>", "<s>", "<｜begin▁of▁sentence｜>", "<bos>", "[BOS]"}},
      {"padding", "pad_token", {"<pad>", "<|padding|>", "<｜▁pad▁｜>", "[PAD]"}},
      {"unknown", "unk_token", {"<unk>", "[UNK]"}}};
  return all;
}

// The text of a token, which stands there as such or in an object.
std::optional<Json> content_of(const Json& config, const char* key) {
  const auto token = config.find(key);
  if (!token || token->is_text()) return token;
  return token->at("content");
}

// The token that a TemplateProcessing puts before a text: {"SpecialToken": {"id": "<s>", …}}.
std::optional<std::string_view> template_begin(const std::optional<Json>& post_processor) {
  if (!post_processor) return std::nullopt;
  std::vector<Json> all{*post_processor};
  if (post_processor->type() == "Sequence") all = post_processor->at("processors").items();
  for (const Json& one : all) {
    if (one.type() != "TemplateProcessing") continue;
    const std::vector<Json> single = one.at("single").items();
    if (single.empty()) continue;
    if (const auto token = single.front().find("SpecialToken")) return token->at("id").text();
  }
  return std::nullopt;
}

std::optional<std::uint32_t> usual_one(const Role& role, const AddedTokens& added) {
  for (const std::string_view content : role.usual)
    if (added.is_special(content)) return added.find(content);
  return std::nullopt;
}

std::optional<std::uint32_t> only_special(const AddedTokens& added) {
  std::optional<std::uint32_t> only;
  for (const AddedToken& token : added.all()) {
    if (!token.special) continue;
    if (only) return std::nullopt;
    only = token.id;
  }
  return only;
}

}  // namespace

std::vector<SpecialToken> special_roles(
    const std::optional<Json>& tokenizer_config, const Json& tokenizer, const AddedTokens& added,
    const std::function<std::optional<std::uint32_t>(std::string_view)>& find) {
  std::vector<SpecialToken> found;
  const auto before_text = template_begin(tokenizer.find("post_processor"));
  for (const Role& role : roles()) {
    std::optional<std::uint32_t> id;
    if (tokenizer_config) {
      if (const auto content = content_of(*tokenizer_config, role.config_key)) {
        id = find(content->text());
        if (!id)
          content->refuse("is " + in_quotes(content->text()) +
                          ", which is no token of the tokenizer");
      }
    }
    if (!id && before_text && std::string_view(role.name) == "begin_of_document")
      id = find(*before_text);
    if (!id) id = usual_one(role, added);
    if (!id && &role == &roles().front()) id = only_special(added);
    if (id) found.push_back({role.name, std::int64_t(*id)});
  }
  return found;
}

}  // namespace mortise::huggingface
