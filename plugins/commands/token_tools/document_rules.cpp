#include "document_rules.hpp"

#include "../../data/pbin/checksum.hpp"
#include "id_blocks.hpp"

namespace mortise::token_tools {

// Two documents of 2^64 with equal hashes of 128 bits would be taken for one.
bool DocumentRules::is_new(const Input& input, token_files::TokenSpan document) {
  pbin::Checksum sum;
  each_block(input, document, [&](std::span<const std::uint32_t> ids) {
    sum.add({reinterpret_cast<const char*>(ids.data()), ids.size_bytes()});
  });
  return seen_.insert(sum.words128()).second;
}

bool DocumentRules::keeps(const Input& input, token_files::TokenSpan document) {
  if (settings_.min_tokens && document.size < *settings_.min_tokens) return ++too_short_, false;
  if (settings_.max_tokens && document.size > *settings_.max_tokens) return ++too_long_, false;
  if (settings_.unique && !is_new(input, document)) return ++repeated_, false;
  return true;
}

}  // namespace mortise::token_tools
