#pragma once

// Tokens beside the model's vocabulary, which are looked for in the text before it is cut.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "../normalizers/normalizer.hpp"
#include "../unigram/byte_trie.hpp"
#include "json.hpp"
#include "vocabulary.hpp"

namespace mortise::huggingface {

struct AddedToken {
  std::uint32_t id;
  std::string content;
  std::string looked_for;  // content, after the normalizer where that is asked for
  bool single_word;
  bool strips_left;
  bool strips_right;
  bool normalized;
  bool special;
};

// What becomes of text that spells a special token.
enum class Spelled { token, text };

// Finds added tokens, the leftmost first, of several there the longest.
//
// Threads: immutable after construction.
class TokenFinder {
 public:
  // Errors: DataError naming a token that is looked for twice or has no text.
  explicit TokenFinder(std::vector<AddedToken> tokens);

  // Calls on_text(text, begin) for what lies between tokens and on_token(id), from left to right.
  template <class OnText, class OnToken>
  void split(std::string_view text, OnText&& on_text, OnToken&& on_token) const {
    std::size_t done = 0;
    for (std::size_t at = 0; at != text.size();) {
      const auto match = next(text, at);
      if (!match) break;
      at = match->end;
      const std::optional<Place> place = place_of(*match, text, done);
      if (!place) continue;
      if (done < place->begin) on_text(text.substr(done, place->begin - done), done);
      on_token(match->token->id);
      done = place->end;
    }
    if (done < text.size()) on_text(text.substr(done), done);
  }

 private:
  struct Match {
    std::size_t begin;
    std::size_t end;
    const AddedToken* token;
  };
  struct Place {
    std::size_t begin;
    std::size_t end;
  };
  std::optional<Match> next(std::string_view text, std::size_t at) const;
  static std::optional<Place> place_of(const Match& match, std::string_view text, std::size_t done);

  std::vector<AddedToken> tokens_;
  std::unique_ptr<unigram::ByteTrie> trie_;
  std::array<bool, 256> begins_{};
  std::optional<char> only_beginning_;
};

class AddedTokens {
 public:
  // A token that the vocabulary has keeps its id there; the others get the next ones, in the order
  // of the list, whatever ids the list names (so does `tokenizers`).
  // Errors: DataError.
  AddedTokens(const std::optional<Json>& list, const Vocabulary& vocabulary,
              const normalizers::Normalizer* normalizer, Spelled special);

  const std::vector<AddedToken>& all() const { return tokens_; }
  std::optional<std::uint32_t> find(std::string_view content) const;
  const AddedToken* of(std::uint32_t id) const;
  bool is_special(std::string_view content) const;
  std::uint32_t end_id() const { return end_id_; }
  // Tokens to which the list gives another id than they have.
  const std::vector<std::string>& moved() const { return moved_; }

  // Those to look for in the text as it comes, and those after the normalizer.
  const TokenFinder& raw() const { return *raw_; }
  const TokenFinder& normalized() const { return *normalized_; }

 private:
  void add(const Json& item, const Vocabulary& vocabulary,
           const normalizers::Normalizer* normalizer);
  std::uint32_t id_for(const Json& item, std::string_view content, const Vocabulary& vocabulary);

  std::vector<AddedToken> tokens_;
  std::unordered_map<std::string, std::size_t> by_content_;
  std::unordered_map<std::uint32_t, std::size_t> by_id_;
  std::unordered_set<std::string> special_;
  std::vector<std::string> moved_;
  std::uint32_t next_id_;
  std::uint32_t end_id_ = 0;
  std::unique_ptr<TokenFinder> raw_, normalized_;
};

}  // namespace mortise::huggingface
