#include "vocabulary.hpp"

namespace mortise::huggingface {

Vocabulary::Added Vocabulary::add(std::string_view token, std::uint32_t id) {
  if (this->token(id)) return Added::id_is_there;
  if (!map_.insert(token, id)) return Added::token_is_there;
  if (id >= places_.size()) places_.resize(std::size_t(id) + 1);
  places_[id] = {bytes_.size(), token.size()};
  bytes_ += token;
  return Added::yes;
}

std::optional<std::string_view> Vocabulary::token(std::uint32_t id) const {
  if (id >= places_.size() || places_[id].offset == kNowhere) return std::nullopt;
  return std::string_view(bytes_).substr(places_[id].offset, places_[id].size);
}

}  // namespace mortise::huggingface
