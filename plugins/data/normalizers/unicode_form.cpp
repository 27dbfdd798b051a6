// NFC, NFD, NFKC and NFKD (Unicode Standard Annex 15) through utf8proc.

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <mortise/error.hpp>

#include "characters.hpp"
#include "normalizer.hpp"

namespace mortise::normalizers {

namespace {

utf8proc_option_t options_of(Form form) {
  const int compatible = form == Form::nfkc || form == Form::nfkd ? UTF8PROC_COMPAT : 0;
  const bool composed = form == Form::nfc || form == Form::nfkc;
  return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | compatible |
                                        (composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE));
}

// Whether a character has come to Unicode after version 9.0, whose tables `tokenizers` has, and
// would change: it stays as it is there, and separates what stands around it. From
// unicode-data 15.0: what has a decomposition, a combining class, or a part in a decomposition, and
// an age above 9.0.
bool is_newer(std::uint32_t c) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr Range kNewer[] = {
      {0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},
      {0xC3C, 0xC3C},     {0xD3B, 0xD3C},     {0xEBA, 0xEBA},     {0x1715, 0x1715},
      {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},   {0x32FF, 0x32FF},   {0xA7F2, 0xA7F4},
      {0xA82C, 0xA82C},   {0xAB69, 0xAB69},   {0x10781, 0x10785}, {0x10787, 0x107B0},
      {0x107B2, 0x107BA}, {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF},
      {0x10F46, 0x10F50}, {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x1133B, 0x1133B},
      {0x1145E, 0x1145E}, {0x11839, 0x1183A}, {0x11930, 0x11930}, {0x11935, 0x11935},
      {0x11938, 0x11938}, {0x1193D, 0x1193E}, {0x11943, 0x11943}, {0x119E0, 0x119E0},
      {0x11A34, 0x11A34}, {0x11A47, 0x11A47}, {0x11A99, 0x11A99}, {0x11D42, 0x11D42},
      {0x11D44, 0x11D45}, {0x11D97, 0x11D97}, {0x11F41, 0x11F42}, {0x16FF0, 0x16FF1},
      {0x1E030, 0x1E06D}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE},
      {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF}, {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}};
  const auto* const found =
      std::upper_bound(std::begin(kNewer), std::end(kNewer), c,
                       [](std::uint32_t value, const Range& range) { return value < range.first; });
  return found != std::begin(kNewer) && c <= std::prev(found)->last;
}

// ASCII and newer characters stay as they are and never join what stands before them. So the text
// is worked on from one of them to the next.
class UnicodeForm final : public Normalizer {
 public:
  explicit UnicodeForm(Form form) : options_(options_of(form)) {}

  void change(std::string& text, std::size_t) const override {
    std::size_t at = next_other(text, 0);
    if (at == text.size()) return;
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    std::size_t copied = 0;
    for (; at != text.size(); at = next_other(text, at)) {
      const std::size_t end = end_of_part(text, at);
      if (end == at) {  // newer
        at += character_size(text[at]);
        continue;
      }
      const std::size_t first = at != copied && is_ascii(text[at - 1]) ? at - 1 : at;
      out.append(text, copied, first - copied);
      append_form(std::string_view(text).substr(first, end - first), out);
      copied = at = end;
    }
    out.append(text, copied);
    text = std::move(out);
  }

 private:
  static bool is_ascii(char c) { return static_cast<signed char>(c) >= 0; }
  static std::size_t next_other(const std::string& text, std::size_t at) {
    while (at != text.size() && is_ascii(text[at])) ++at;
    return at;
  }
  static std::size_t end_of_part(const std::string& text, std::size_t at) {
    while (at < text.size() && !is_ascii(text[at])) {
      const std::size_t size = character_size(text[at]);
      if (is_newer(character(text, at, size))) return at;
      at += size;
    }
    return at;
  }

  void append_form(std::string_view part, std::string& out) const {
    utf8proc_uint8_t* made = nullptr;
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(part.data()),
                                   static_cast<utf8proc_ssize_t>(part.size()), &made, options_);
    if (size < 0) throw Error(ErrorCode::failed, utf8proc_errmsg(size));
    out.append(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
    std::free(made);
  }

  utf8proc_option_t options_;
};

}  // namespace

NormalizerPtr unicode_form(Form form) { return std::make_unique<UnicodeForm>(form); }

}  // namespace mortise::normalizers
