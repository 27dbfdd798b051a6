#include <algorithm>
#include <cstring>
#include <mortise/error.hpp>

#include "../unicode/tables.hpp"
#include "added_tokens.hpp"

namespace mortise::huggingface {

namespace {

// Where the character that ends at `end` begins.
std::size_t before(std::string_view text, std::size_t end) {
  do --end;
  while ((text[end] & 0xC0) == 0x80);
  return end;
}

bool is_word(std::string_view text, std::size_t at) {
  const char32_t c = unicode::character_at(text.data() + at).value;
  const unicode::Properties properties = unicode::properties_of(c);
  return properties.is_alphabetic() || properties.is_mark() ||
         properties.category() == unicode::Category::Nd ||
         properties.category() == unicode::Category::Pc || c == 0x200C || c == 0x200D;
}

bool is_white(std::string_view text, std::size_t at) {
  return unicode::properties_of(unicode::character_at(text.data() + at).value).is_white_space();
}

}  // namespace

TokenFinder::TokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::vector<std::string_view> keys;
  for (const AddedToken& token : tokens_) {
    if (token.looked_for.empty())
      throw DataError("the added token " + in_quotes(token.content) +
                      " is empty after the normalizer: it would be found everywhere");
    keys.push_back(token.looked_for);
    begins_[static_cast<unsigned char>(token.looked_for.front())] = true;
  }
  trie_ = std::make_unique<unigram::ByteTrie>(keys);
  for (std::size_t i = 0; i != keys.size(); ++i)
    if (trie_->find(keys[i]) != i)
      throw DataError("the added token " + in_quotes(tokens_[i].content) +
                      " is looked for twice, as " + in_quotes(keys[i]));
  if (std::count(begins_.begin(), begins_.end(), true) == 1)
    only_beginning_ =
        static_cast<char>(std::find(begins_.begin(), begins_.end(), true) - begins_.begin());
}

std::optional<TokenFinder::Match> TokenFinder::next(std::string_view text, std::size_t at) const {
  if (tokens_.empty()) return std::nullopt;
  for (; at < text.size(); ++at) {
    if (only_beginning_) {
      at = text.find(*only_beginning_, at);
      if (at == std::string_view::npos) return std::nullopt;
    } else if (!begins_[static_cast<unsigned char>(text[at])]) {
      continue;
    }
    std::optional<Match> longest;
    trie_->prefixes(text.substr(at), [&](std::size_t size, std::uint32_t token) {
      longest = Match{at, at + size, &tokens_[token]};
    });
    if (longest) return longest;
  }
  return std::nullopt;
}

// Nothing for a token that must be a word and is part of one. White space that a token takes with
// it goes no further left than `done`.
std::optional<TokenFinder::Place> TokenFinder::place_of(const Match& match, std::string_view text,
                                                        std::size_t done) {
  Place place{match.begin, match.end};
  if (match.token->single_word && ((place.begin != 0 && is_word(text, before(text, place.begin))) ||
                                   (place.end != text.size() && is_word(text, place.end))))
    return std::nullopt;
  if (match.token->strips_left) {
    while (place.begin > done && is_white(text, before(text, place.begin)))
      place.begin = before(text, place.begin);
    place.begin = std::max(place.begin, done);
  }
  if (match.token->strips_right)
    while (place.end != text.size() && is_white(text, place.end))
      place.end += unicode::character_at(text.data() + place.end).size;
  return place;
}

}  // namespace mortise::huggingface
