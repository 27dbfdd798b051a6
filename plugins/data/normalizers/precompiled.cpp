// The normalizer Precompiled: SentencePiece's charsmap as `tokenizers` applies it, grapheme by
// grapheme, with the shortest key that fits. (SentencePiece itself takes the longest.)

#include <utf8proc.h>

#include <utility>

#include "characters.hpp"
#include "charsmap.hpp"
#include "normalizer.hpp"

namespace mortise::normalizers {

namespace {

constexpr std::size_t kLongestWhole = 5;  // bytes of a grapheme that is looked up as a whole

class Precompiled final : public Normalizer {
 public:
  explicit Precompiled(std::string charsmap) : map_(std::move(charsmap)) {}

  void change(std::string& text, std::size_t most) const override {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); at = begin) {
      begin = next_grapheme(text, at);
      append_grapheme(std::string_view(text).substr(at, begin - at), out);
      check_size(out, most);
    }
    text = std::move(out);
  }

 private:
  static std::size_t next_grapheme(const std::string& text, std::size_t at) {
    std::size_t size = character_size(text[at]);
    auto before = static_cast<utf8proc_int32_t>(character(text, at, size));
    utf8proc_int32_t state = 0;
    for (at += size; at < text.size(); at += size) {
      if (before < 0x80 && before != '\r' && static_cast<signed char>(text[at]) >= 0) return at;
      size = character_size(text[at]);
      const auto next = static_cast<utf8proc_int32_t>(character(text, at, size));
      if (utf8proc_grapheme_break_stateful(before, next, &state)) return at;
      before = next;
    }
    return text.size();
  }

  void append_grapheme(std::string_view grapheme, std::string& out) const {
    if (grapheme.size() <= kLongestWhole) {
      if (const auto replacement = map_.shortest(grapheme)) {
        out += *replacement;
        return;
      }
    }
    for_each_character(grapheme, [&](std::uint32_t, std::string_view bytes) {
      out += map_.shortest(bytes).value_or(bytes);
    });
  }

  Charsmap map_;
};

}  // namespace

NormalizerPtr precompiled(std::string charsmap) {
  return std::make_unique<Precompiled>(std::move(charsmap));
}

}  // namespace mortise::normalizers
