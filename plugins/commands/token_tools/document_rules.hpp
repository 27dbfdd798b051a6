#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "input.hpp"

namespace mortise::token_tools {

// Which documents stay, and how many do not for which reason.
class DocumentRules {
 public:
  struct Settings {
    std::optional<std::int64_t> min_tokens, max_tokens;
    bool unique = false;
  };
  explicit DocumentRules(const Settings& settings) : settings_(settings) {}

  bool keeps(const Input& input, token_files::TokenSpan document);

  std::int64_t too_short() const { return too_short_; }
  std::int64_t too_long() const { return too_long_; }
  std::int64_t repeated() const { return repeated_; }

 private:
  using Hash = std::array<std::uint64_t, 2>;
  struct FirstHalf {
    std::size_t operator()(const Hash& hash) const { return hash[0]; }
  };
  bool is_new(const Input& input, token_files::TokenSpan document);

  Settings settings_;
  std::int64_t too_short_ = 0, too_long_ = 0, repeated_ = 0;
  std::unordered_set<Hash, FirstHalf> seen_;
};

}  // namespace mortise::token_tools
