#pragma once

#include <cstdint>
#include <mortise/data/tokenizer.hpp>
#include <mortise/settings.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "known_encodings.hpp"

namespace mortise::tiktoken {

// A special token as a run file gives it.
struct GivenToken {
  std::string_view text;
  std::int64_t id = 0;

  static constexpr auto settings() {
    return fields(field("text", &GivenToken::text).required().doc("its text"),
                  field("id", &GivenToken::id).required().between(0, (1 << 24) - 1).doc("its id"));
  }
};

// The tokens that no text makes, and which of them ends a document.
class SpecialTokens {
 public:
  // Those of `known`, if it is one, and those of a setting, which wins. `end`: the text of the one
  // that ends a document.
  // Errors: ConfigError for an id that is below `ranks` or given twice, or an `end` that is none.
  SpecialTokens(const KnownEncoding* known, const std::vector<GivenToken>& given,
                std::optional<std::string_view> end, std::uint32_t ranks);

  // One more than the largest id, `ranks` at least.
  std::uint32_t end_id() const { return end_id_; }
  std::vector<SpecialToken> roles() const { return roles_; }
  // All of them, for a fingerprint.
  std::string description() const;

 private:
  struct Token {
    std::string text;
    std::uint32_t id;
  };

  void set(std::string_view text, std::uint32_t id);
  void check_ids(std::uint32_t ranks) const;
  const Token* find(std::string_view text) const;
  void add_role(const char* role, std::string_view text);

  std::vector<Token> tokens_;
  std::vector<SpecialToken> roles_;
  std::uint32_t end_id_;
};

}  // namespace mortise::tiktoken
