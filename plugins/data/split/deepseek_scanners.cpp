// The three patterns that DeepSeek's tokenizer applies one after the other.

#include "known_patterns.hpp"
#include "scanner.hpp"

namespace mortise::split {

namespace {

struct ThreeDigits {
  enum class Kind : std::uint8_t { number, other, space, newline };
  static Kind kind_of(unicode::Properties properties) {
    return properties.is_number() ? Kind::number : Kind::other;
  }
  using Text = Kinds<Kind, kind_of>;

  static const char* piece_end(const char* at, const char* end) {
    bool is_number = Text::look(at).kind == Kind::number;
    for (int n = 0; at != end && !(is_number && n == 3); ++n) {
      const Text::Seen seen = Text::look(at);
      if ((seen.kind == Kind::number) != is_number) break;
      at += seen.size;
    }
    return at;
  }
};

// Han of the first block, Hiragana and Katakana.
struct EastAsian {
  static bool is_east_asian(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x30FF);
  }
  static const char* piece_end(const char* at, const char* end) {
    const bool inside = is_east_asian(unicode::character_at(at).value);
    while (at != end) {
      const unicode::Character c = unicode::character_at(at);
      if (is_east_asian(c.value) != inside) break;
      at += c.size;
    }
    return at;
  }
};

struct Words {
  enum class Kind : std::uint8_t { word, sign, other, space, newline };  // a mark is a word, too
  static Kind kind_of(unicode::Properties properties) {
    if (properties.is_letter() || properties.is_mark()) return Kind::word;
    if (properties.is_punctuation() || properties.is_symbol()) return Kind::sign;
    return properties.is_white_space() ? Kind::space : Kind::other;
  }
  using Text = Kinds<Kind, kind_of>;

  static bool is_ascii_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

  static const char* piece_end(const char* at, const char* end) {
    const Text::Seen first = Text::look(at);
    const char* const next = at + first.size;
    switch (first.kind) {
      case Kind::word:
        return Text::skip(next, end, Kind::word);
      case Kind::sign:
        if (first.size == 1 && next != end && is_ascii_letter(*next)) {
          at = next;
          while (at != end && is_ascii_letter(*at)) ++at;
          return at;
        }
        return signs_end(next, end);
      case Kind::newline:
        return Text::white_end<true>(at, end);
      default:
        break;
    }
    if (next != end) {
      const Text::Seen second = Text::look(next);
      if (second.kind == Kind::word) return Text::skip(next + second.size, end, Kind::word);
      if (*at == ' ' && second.kind == Kind::sign) return signs_end(next + second.size, end);
    }
    return first.kind == Kind::space ? Text::white_end<true>(at, end) : gap_end(next, end);
  }

 private:
  static const char* signs_end(const char* at, const char* end) {
    return Text::skip_newlines(Text::skip(at, end, Kind::sign), end);
  }

  // No piece of the pattern begins at `other`, unless a word follows.
  static const char* gap_end(const char* at, const char* end) {
    while (at != end) {
      const Text::Seen seen = Text::look(at);
      if (seen.kind != Kind::other) break;
      const char* const next = at + seen.size;
      if (next != end && Text::look(next).kind == Kind::word) break;
      at = next;
    }
    return at;
  }
};

}  // namespace

std::unique_ptr<Splitter> deepseek_digits_scanner() {
  return std::make_unique<Scanner<ThreeDigits>>();
}
std::unique_ptr<Splitter> deepseek_east_asian_scanner() {
  return std::make_unique<Scanner<EastAsian>>();
}
std::unique_ptr<Splitter> deepseek_words_scanner() { return std::make_unique<Scanner<Words>>(); }

}  // namespace mortise::split
