// Scanners written by hand against the pattern that they stand for, which PCRE2 runs.

#include <doctest/doctest.h>

#include <fstream>
#include <mortise/error.hpp>
#include <random>
#include <sstream>

#include "plugins/data/split/known_patterns.hpp"
#include "plugins/data/split/regex.hpp"
#include "plugins/data/unicode/tables.hpp"

using namespace mortise::split;
namespace unicode = mortise::unicode;

namespace {

std::vector<std::string> pieces_of(const Splitter& splitter, std::string_view text,
                                   std::size_t at_once = 64) {
  std::vector<std::string> all;
  std::vector<std::string_view> pieces(at_once);
  std::size_t at = 0;
  while (const std::size_t n = splitter.cut(text, at, pieces))
    all.insert(all.end(), pieces.begin(), pieces.begin() + std::ptrdiff_t(n));
  CHECK(at == text.size());
  return all;
}

// What the pattern itself cuts, without any of our scanners.
std::vector<std::string> regex_pieces(const KnownPattern& known, std::string_view text) {
  const Regex regex(known.regex, known.rust_only ? Dialect::rust : Dialect::oniguruma);
  auto search = regex.search(text);
  std::vector<std::string> all;
  std::size_t at = 0;
  while (at != text.size()) {
    const auto match = search.next(at);
    const std::size_t begin = match ? match->begin : text.size();
    if (begin != at) all.emplace_back(text.substr(at, begin - at));
    if (!match) break;
    all.emplace_back(text.substr(match->begin, match->end - match->begin));
    at = match->end;
  }
  return all;
}

void append(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xE0 | c >> 12);
    } else {
      put(0xF0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3F));
    }
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

// Whether `c` came with Unicode 15.0: Debian's PCRE2 stands at 14.0.
bool is_younger(char32_t c) {
  static const Regex unassigned(R"(\p{Cn})", Dialect::rust);
  std::string text;
  append(text, c);
  return unicode::properties_of(c).category() != unicode::Category::Cn &&
         unassigned.search(text).next(0).has_value();
}

// Mostly the characters that the patterns tell apart, some of any kind.
std::string random_text(std::mt19937& random) {
  static const std::u32string usual =
      U"aZsStTreEvVmMlLdD'''    \n\n\r\t  019²Ⅷ.,!-_$+\u017F\u0130\u00A0\u0085\u2028\u3000\u180E"
      U"\u200Bé漢あア\u0301\u20DD\u4E00\u9FA5\u9FA6\u30FF\u3100😀\u0000\u001C";
  std::string text;
  const std::size_t size = random() % 40;
  for (std::size_t i = 0; i != size; ++i) {
    char32_t c = usual[random() % usual.size()];
    if (random() % 10 == 0) c = random() % 0x110000;
    if (is_surrogate(c) || is_younger(c)) c = U'x';
    append(text, c);
  }
  return text;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  REQUIRE(text.str().size() > 1000);
  return text.str();
}

}  // namespace

TEST_CASE("scanners: cut random text as their pattern does") {
  for (const KnownPattern& known : kKnownPatterns) {
    CAPTURE(std::string(known.regex));
    const auto scanner = known.scanner();
    std::mt19937 random(11);
    for (int round = 0; round != 20000; ++round) {
      const std::string text = random_text(random);
      CAPTURE(text);
      REQUIRE(pieces_of(*scanner, text) == regex_pieces(known, text));
    }
  }
}

TEST_CASE("scanners: cut pages and sources as their pattern does") {
  for (const char* file :
       {"/README.md", "/docs/configuration.md", "/sdk/include/mortise/settings.hpp",
        "/plugins/data/unicode/make_tables.py"}) {
    const std::string text = file_text(MORTISE_SOURCE_DIR + std::string(file));
    for (const KnownPattern& known : kKnownPatterns) {
      CAPTURE(std::string(known.regex));
      REQUIRE(pieces_of(*known.scanner(), text) == regex_pieces(known, text));
    }
  }
}

TEST_CASE("scanners: how many pieces are asked for at once makes no difference") {
  std::mt19937 random(5);
  for (const KnownPattern& known : kKnownPatterns) {
    const auto scanner = known.scanner();
    const auto regex = splitter_for("(?:" + std::string(known.regex) + ")", Dialect::rust);
    for (int round = 0; round != 300; ++round) {
      const std::string text = random_text(random);
      const auto pieces = pieces_of(*scanner, text);
      REQUIRE(pieces_of(*scanner, text, 1) == pieces);
      REQUIRE(pieces_of(*regex, text, 1) == pieces_of(*regex, text, 3));
      REQUIRE(pieces_of(*regex, text, 1) == pieces_of(*regex, text));
    }
  }
}

TEST_CASE("splitter: pieces are matches and what lies between, and a match has characters") {
  const auto pieces = [](std::string_view regex, std::string_view text) {
    return pieces_of(*splitter_for(regex, Dialect::oniguruma), text);
  };
  using Pieces = std::vector<std::string>;
  CHECK(pieces("[0-9]", "a1b22") == Pieces{"a", "1", "b", "2", "2"});
  CHECK(pieces("[0-9][0-9][0-9]", "1234567") == Pieces{"123", "456", "7"});
  CHECK(pieces("x*", "axxb") == Pieces{"a", "xx", "b"});
  CHECK(pieces("x*", "ab") == Pieces{"a", "b"});
  CHECK(pieces("", "é") == Pieces{"é"});
  CHECK(pieces(R"(\s)", "a\u180Eb\u0085c") == Pieces{"a\u180Eb", "\u0085", "c"});
  CHECK(pieces(R"(\w+)", "a²e\u0301_-b") == Pieces{"a²e\u0301_", "-", "b"});
  CHECK(pieces("^b", "a\nb") == Pieces{"a\n", "b"});
  CHECK(pieces(R"([^\S\n]+)", "a \t\n b") == Pieces{"a", " \t", "\n", " ", "b"});
  CHECK(pieces("", "").empty());
}

TEST_CASE("splitter: what PCRE2 would read differently is refused by name") {
  struct Row {
    const char* regex;
    const char* named;
  };
  for (const Row& row :
       {Row{R"(\h)", R"(\h)"}, Row{R"(\bx)", R"(\b)"}, Row{R"([\W])", R"(\W)"},
        Row{R"(a\1)", R"(\1)"}, Row{"[a[b]]", "[b"}, Row{"[[:alpha:]]", "[:"}, Row{"[a&&b]", "&&"},
        Row{"(?m:.)", "(?m"}, Row{"a{1,3}+", "}+"}, Row{"(?<n>a)", "(?<n"}, Row{"(*ACCEPT)", "(*"},
        Row{"\\", "\\"}, Row{R"(\p{L)", R"(\p{)"}, Row{R"(a\x{41)", R"(\x{)"},
        Row{"(a", "cannot be compiled"}, Row{R"(\p{Nowhere})", "cannot be compiled"}}) {
    CAPTURE(row.regex);
    try {
      splitter_for(row.regex, Dialect::oniguruma);
      FAIL("accepted");
    } catch (const mortise::DataError& error) {
      CHECK(std::string(error.what()).find(row.named) != std::string::npos);
    }
  }
}

TEST_CASE("splitter: a pattern that backtracks without end is stopped with its name") {
  const auto splitter = splitter_for("(a+)+$|b", Dialect::rust);
  const std::string text = std::string(200, 'a') + "!";
  std::string_view piece;
  std::size_t at = 0;
  try {
    splitter->cut(text, at, {&piece, 1});
    FAIL("accepted");
  } catch (const mortise::DataError& error) {
    CHECK(std::string(error.what()).find("(a+)+$|b") != std::string::npos);
  }
}

TEST_CASE("unicode tables: say of every character what PCRE2 says") {
  struct Row {
    const char* regex;
    bool (*holds)(unicode::Properties);
    bool changed = false;
  };
  // Unicode 15.0 made these alphabetic.
  const std::u32string kNowAlphabetic = U"\u0C04\u0F82\u0F83\U00011080\U00011081";
  const Row rows[] = {
      {R"(\p{L})", [](unicode::Properties p) { return p.is_letter(); }},
      {R"(\p{M})", [](unicode::Properties p) { return p.is_mark(); }},
      {R"(\p{N})", [](unicode::Properties p) { return p.is_number(); }},
      {R"(\p{P})", [](unicode::Properties p) { return p.is_punctuation(); }},
      {R"(\p{S})", [](unicode::Properties p) { return p.is_symbol(); }},
      {R"(\p{White_Space})", [](unicode::Properties p) { return p.is_white_space(); }},
      {R"(\p{Alphabetic})", [](unicode::Properties p) { return p.is_alphabetic(); }, true}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.regex));
    const Regex regex(row.regex, Dialect::rust);
    std::u32string different;
    for (char32_t c = 0; c != 0x110000; ++c) {
      if (is_surrogate(c)) continue;
      std::string text;
      append(text, c);
      REQUIRE(unicode::character_at(text.data()).value == c);
      REQUIRE(unicode::character_at(text.data()).size == text.size());
      if (row.holds(unicode::properties_of(c)) != regex.search(text).next(0).has_value() &&
          !is_younger(c))
        different.push_back(c);
    }
    CHECK(different == (row.changed ? kNowAlphabetic : std::u32string()));
  }
}
