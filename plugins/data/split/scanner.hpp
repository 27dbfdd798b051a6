#pragma once

// Splitters written by hand. Rules says where a piece ends that begins at `at`; both point into
// valid UTF-8, and at < end.

#include "../unicode/tables.hpp"
#include "splitter.hpp"

namespace mortise::split {

template <class Rules>
class Scanner final : public Splitter {
 public:
  std::size_t cut(std::string_view text, std::size_t& at,
                  std::span<std::string_view> pieces) const override {
    const char* const end = text.data() + text.size();
    const char* from = text.data() + at;
    std::size_t n = 0;
    while (n != pieces.size() && from != end) {
      const char* const to = Rules::piece_end(from, end);
      pieces[n++] = {from, std::size_t(to - from)};
      from = to;
    }
    at = std::size_t(from - text.data());
    return n;
  }
};

// The kinds of characters that the rules tell apart: KindOf(properties) gives the kind of a
// character; carriage return and line feed are `newline`, and `space` is what else is white.
template <class Kind, Kind (*KindOf)(unicode::Properties)>
class Kinds {
 public:
  struct Seen {
    Kind kind;
    unsigned size;
  };

  static Seen look(const char* at) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x80) return {kAscii.kinds[byte], 1};
    const unicode::Character c = unicode::character_at(at);
    return {KindOf(unicode::properties_of(c.value)), c.size};
  }

  // Where the run of characters of `kind` ends.
  static const char* skip(const char* at, const char* end, Kind kind) {
    while (at != end) {
      const Seen seen = look(at);
      if (seen.kind != kind) break;
      at += seen.size;
    }
    return at;
  }

  static const char* skip_newlines(const char* at, const char* end) {
    while (at != end && (*at == '\r' || *at == '\n')) ++at;
    return at;
  }

  static bool is_white(Kind kind) { return kind == Kind::space || kind == Kind::newline; }

  // A run of white space: up to its last newline if `Lines` and there is one, else all of it but
  // the last character, which goes with what follows; all of it at the end of the text and where
  // it is one character.
  template <bool Lines>
  static const char* white_end(const char* at, const char* end) {
    const char* last = at;
    const char* line_end = nullptr;
    const char* to = at;
    while (to != end) {
      const Seen seen = look(to);
      if (!is_white(seen.kind)) break;
      last = to;
      to += seen.size;
      if (Lines && seen.kind == Kind::newline) line_end = to;
    }
    if (line_end != nullptr) return line_end;
    return to == end || last == at ? to : last;
  }

 private:
  struct Ascii {
    Kind kinds[128];
    Ascii() {
      for (char32_t c = 0; c != 128; ++c)
        kinds[c] = c == U'\r' || c == U'\n' ? Kind::newline : KindOf(unicode::properties_of(c));
    }
  };
  static inline const Ascii kAscii{};
};

}  // namespace mortise::split
