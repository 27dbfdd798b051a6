#include "added_tokens.hpp"

#include <algorithm>

namespace mortise::huggingface {

namespace {

// Files have up to a few thousand; each takes some 700 bytes.
constexpr std::size_t kMostTokens = 1'000'000;

}  // namespace

AddedTokens::AddedTokens(const std::optional<Json>& list, const Vocabulary& vocabulary,
                         const normalizers::Normalizer* normalizer, Spelled special)
    : next_id_(std::uint32_t(vocabulary.size())) {
  if (list && list->list().size() > kMostTokens)
    list->refuse("has more than " + std::to_string(kMostTokens) + " tokens");
  if (list)
    for (const Json& item : list->items()) add(item, vocabulary, normalizer);
  std::vector<AddedToken> raw, normalized;
  for (const AddedToken& token : tokens_) {
    end_id_ = std::max(end_id_, token.id + 1);
    if (special == Spelled::text && token.special) continue;
    (token.normalized ? normalized : raw).push_back(token);
  }
  raw_ = std::make_unique<TokenFinder>(std::move(raw));
  // The normalizer may make tokens equal, or nothing of one.
  normalized_ =
      list ? list->made_by([&] { return std::make_unique<TokenFinder>(std::move(normalized)); })
           : std::make_unique<TokenFinder>(std::vector<AddedToken>());
}

void AddedTokens::add(const Json& item, const Vocabulary& vocabulary,
                      const normalizers::Normalizer* normalizer) {
  const std::string content(item.at("content").text());
  if (content.empty()) return;
  AddedToken token{0,
                   content,
                   content,
                   item.flag("single_word", false),
                   item.flag("lstrip", false),
                   item.flag("rstrip", false),
                   item.flag("normalized", true),
                   item.flag("special", false)};
  if (token.special) special_.insert(content);
  if (token.normalized && normalizer != nullptr) normalizer->apply(token.looked_for);
  const auto known = by_content_.find(content);
  if (known != by_content_.end()) {
    token.id = tokens_[known->second].id;
    tokens_[known->second] = std::move(token);  // the last one counts
    return;
  }
  token.id = id_for(item, content, vocabulary);
  by_content_.emplace(content, tokens_.size());
  by_id_.emplace(token.id, tokens_.size());
  tokens_.push_back(std::move(token));
}

std::uint32_t AddedTokens::id_for(const Json& item, std::string_view content,
                                  const Vocabulary& vocabulary) {
  std::uint32_t id;
  if (const auto known = vocabulary.find(content)) {
    id = *known;
  } else {
    id = next_id_++;
    if (const auto token = vocabulary.token(id))
      item.refuse("would get the id " + std::to_string(id) +
                  ", the next after the number of tokens, but that is the id of " +
                  in_quotes(*token) + ": the ids of the vocabulary have gaps");
  }
  if (const auto listed = item.find("id"); listed && listed->id() != id)
    moved_.push_back(in_quotes(content) + " has the id " + std::to_string(id) + ", not " +
                     std::to_string(listed->id()));
  return id;
}

std::optional<std::uint32_t> AddedTokens::find(std::string_view content) const {
  const auto found = by_content_.find(std::string(content));
  if (found == by_content_.end()) return std::nullopt;
  return tokens_[found->second].id;
}

const AddedToken* AddedTokens::of(std::uint32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

bool AddedTokens::is_special(std::string_view content) const {
  return special_.count(std::string(content)) != 0;
}

}  // namespace mortise::huggingface
