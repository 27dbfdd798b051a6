#include "text_encoder.hpp"

#include <simdjson.h>

#include "../encoding/utf8.hpp"

namespace mortise::huggingface {

void TextEncoder::encode(std::string_view text, Work& work, bpe::IdList& ids) const {
  if (text.empty()) return;
  if (simdjson::validate_utf8(text.data(), text.size())) return encode_valid(text, work, ids);
  encode_valid(encoding::valid_utf8(text), work, ids);
}

void TextEncoder::encode_valid(std::string_view text, Work& work, bpe::IdList& ids) const {
  const auto on_token = [&](std::uint32_t id) { ids.push(id); };
  const auto* normalizer = parts_.normalizer();
  parts_.added().raw().split(
      text,
      [&](std::string_view part, std::size_t begin) {
        std::string changed;
        if (normalizer != nullptr) {
          changed = part;
          normalizer->apply(changed);
          part = changed;
        }
        parts_.added().normalized().split(
            part,
            [&](std::string_view words, std::size_t offset) {
              encode_words(words, begin == 0 && offset == 0, work, ids);
            },
            on_token);
      },
      on_token);
}

void TextEncoder::encode_words(std::string_view text, bool at_start, Work& work,
                               bpe::IdList& ids) const {
  parts_.pre_tokenizer().cut(text, at_start, work.pieces,
                             [&](std::span<const std::string_view> words, const char* text_end) {
                               parts_.model().encode(words, text_end, work.model, ids);
                             });
}

}  // namespace mortise::huggingface
