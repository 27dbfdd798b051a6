// The patterns of GPT-2, cl100k (also Llama 3) and Qwen 2.

#include "known_patterns.hpp"
#include "scanner.hpp"

namespace mortise::split {

namespace {

enum class Kind : std::uint8_t { letter, number, other, space, newline };

Kind kind_of(unicode::Properties properties) {
  if (properties.is_letter()) return Kind::letter;
  if (properties.is_number()) return Kind::number;
  return properties.is_white_space() ? Kind::space : Kind::other;
}

using Text = Kinds<Kind, kind_of>;

// The size of 's, 't, 're, 've, 'm, 'll or 'd at `at`, where an apostrophe stands; 0: none of them.
template <bool AnyCase>
std::size_t contraction_size(const char* at, const char* end) {
  const auto letter = [&](int i) {
    const char c = at + i < end ? at[i] : '\0';
    return AnyCase && c >= 'A' && c <= 'Z' ? char(c + ('a' - 'A')) : c;
  };
  switch (letter(1)) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return letter(2) == 'e' ? 3 : 0;
    case 'l':
      return letter(2) == 'l' ? 3 : 0;
    case '\xC5':  // U+017F, the long s, is an s in another case
      return AnyCase && letter(2) == '\xBF' ? 3 : 0;
    default:
      return 0;
  }
}

struct Gpt2 {
  static const char* piece_end(const char* at, const char* end) {
    if (*at == '\'')
      if (const std::size_t size = contraction_size<false>(at, end)) return at + size;
    const Text::Seen first = Text::look(at);
    const char* next = at + first.size;
    if (!Text::is_white(first.kind)) return Text::skip(next, end, first.kind);
    if (*at == ' ' && next != end) {
      const Text::Seen second = Text::look(next);
      if (!Text::is_white(second.kind)) return Text::skip(next + second.size, end, second.kind);
    }
    return Text::white_end<false>(at, end);
  }
};

enum class Tail { as_inside, whole };

// MaxDigits: how many digits make a piece. Tail::whole: white space at the end of the text is one
// piece, lines or not.
template <int MaxDigits, Tail AtEnd>
struct Lines {
  static const char* piece_end(const char* at, const char* end) {
    if (*at == '\'')
      if (const std::size_t size = contraction_size<true>(at, end)) return at + size;
    const Text::Seen first = Text::look(at);
    const char* const next = at + first.size;
    if (first.kind == Kind::letter) return Text::skip(next, end, Kind::letter);
    if (first.kind == Kind::number) return digits_end(next, end);
    if (first.kind == Kind::newline || next == end) return other_end(at, next, end, first.kind);
    const Text::Seen second = Text::look(next);
    if (second.kind == Kind::letter) return Text::skip(next + second.size, end, Kind::letter);
    if (*at == ' ' && second.kind == Kind::other)
      return other_end(at, next + second.size, end, Kind::other);
    return other_end(at, next, end, first.kind);
  }

 private:
  static const char* digits_end(const char* at, const char* end) {
    for (int n = 1; n != MaxDigits && at != end; ++n) {
      const Text::Seen seen = Text::look(at);
      if (seen.kind != Kind::number) break;
      at += seen.size;
    }
    return at;
  }

  // `at`: where the piece begins; up to `from` it is known.
  static const char* other_end(const char* at, const char* from, const char* end, Kind kind) {
    if (kind == Kind::other) return Text::skip_newlines(Text::skip(from, end, kind), end);
    if (AtEnd == Tail::whole && white_to_the_end(at, end)) return end;
    return Text::white_end<true>(at, end);
  }

  static bool white_to_the_end(const char* at, const char* end) {
    for (; at != end;) {
      const Text::Seen seen = Text::look(at);
      if (!Text::is_white(seen.kind)) return false;
      at += seen.size;
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Splitter> gpt2_scanner() { return std::make_unique<Scanner<Gpt2>>(); }
std::unique_ptr<Splitter> llama3_scanner() {
  return std::make_unique<Scanner<Lines<3, Tail::as_inside>>>();
}
std::unique_ptr<Splitter> cl100k_scanner() {
  return std::make_unique<Scanner<Lines<3, Tail::whole>>>();
}
std::unique_ptr<Splitter> qwen2_scanner() {
  return std::make_unique<Scanner<Lines<1, Tail::as_inside>>>();
}

}  // namespace mortise::split
