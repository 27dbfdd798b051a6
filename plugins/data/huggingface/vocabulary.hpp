#pragma once

// Tokens and their ids, as the file writes them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../bpe/token_map.hpp"

namespace mortise::huggingface {

class Vocabulary {
 public:
  explicit Vocabulary(std::size_t expected) : map_(expected) {}

  enum class Added { yes, token_is_there, id_is_there };
  Added add(std::string_view token, std::uint32_t id);

  std::optional<std::uint32_t> find(std::string_view token) const { return map_.find(token); }
  // Nothing for an id in a gap or past the end.
  std::optional<std::string_view> token(std::uint32_t id) const;
  std::size_t size() const { return map_.size(); }
  // One more than the largest id.
  std::uint32_t end_id() const { return std::uint32_t(places_.size()); }

 private:
  struct Place {
    std::size_t offset = kNowhere;
    std::size_t size = 0;
  };
  static constexpr std::size_t kNowhere = std::size_t(-1);

  bpe::TokenMap map_;
  std::string bytes_;
  std::vector<Place> places_;  // by id
};

}  // namespace mortise::huggingface
