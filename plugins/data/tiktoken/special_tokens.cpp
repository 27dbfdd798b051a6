#include "special_tokens.hpp"

#include <algorithm>

namespace mortise::tiktoken {

namespace {

constexpr std::string_view kUsualEnds[] = {"<|endoftext|>", "<|end_of_text|>"};

}  // namespace

SpecialTokens::SpecialTokens(const KnownEncoding* known, const std::vector<GivenToken>& given,
                             std::optional<std::string_view> end, std::uint32_t ranks)
    : end_id_(ranks) {
  if (known != nullptr)
    for (const KnownToken& token : known->special) set(token.text, token.id);
  for (const GivenToken& token : given) set(token.text, static_cast<std::uint32_t>(token.id));
  check_ids(ranks);
  for (const Token& token : tokens_) end_id_ = std::max(end_id_, token.id + 1);
  if (known != nullptr) end_id_ = std::max(end_id_, known->vocabulary);
  if (end && find(*end) == nullptr)
    throw ConfigError("end_of_document: " + std::string(*end) + " is none of special_tokens");
  if (end) add_role("end_of_document", *end);
  for (const std::string_view usual : kUsualEnds)
    if (roles_.empty()) add_role("end_of_document", usual);
  if (known != nullptr) add_role("begin_of_document", known->begin_of_document);
}

void SpecialTokens::set(std::string_view text, std::uint32_t id) {
  for (Token& token : tokens_)
    if (token.text == text) {
      token.id = id;
      return;
    }
  tokens_.push_back({std::string(text), id});
}

void SpecialTokens::check_ids(std::uint32_t ranks) const {
  std::vector<Token> sorted = tokens_;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  for (std::size_t i = 0; i != sorted.size(); ++i) {
    if (sorted[i].id < ranks)
      throw ConfigError("special_tokens: " + sorted[i].text + " has the id " +
                        std::to_string(sorted[i].id) + ", which is one of the " +
                        std::to_string(ranks) + " of the rank file");
    if (i > 0 && sorted[i].id == sorted[i - 1].id)
      throw ConfigError("special_tokens: " + sorted[i - 1].text + " and " + sorted[i].text +
                        " have the same id, " + std::to_string(sorted[i].id));
  }
}

const SpecialTokens::Token* SpecialTokens::find(std::string_view text) const {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(),
                                  [&](const Token& token) { return token.text == text; });
  return found == tokens_.end() ? nullptr : &*found;
}

void SpecialTokens::add_role(const char* role, std::string_view text) {
  if (const Token* token = find(text)) roles_.push_back({role, token->id});
}

std::string SpecialTokens::description() const {
  std::string all;
  for (const Token& token : tokens_) all += token.text + '\0' + std::to_string(token.id) + '\0';
  return all + std::to_string(end_id_);
}

}  // namespace mortise::tiktoken
