// Text that is written while it grows.

#include "plugins/commands/generate/utf8_stream.hpp"

#include <doctest/doctest.h>

#include "plugins/data/encoding/utf8.hpp"

using mortise::encoding::valid_utf8;
using mortise::generate::Utf8Stream;

TEST_CASE("utf8: invalid bytes are replaced, valid text is not") {
  struct Row {
    std::string text, valid;
  };
  const std::string sign = "\xEF\xBF\xBD";
  for (const Row& row : {Row{"", ""}, Row{"aé€😀", "aé€😀"}, Row{"\xFF", sign},
                         Row{"a\x80z", "a" + sign + "z"}, Row{"\xC0\xAF", sign + sign},
                         Row{"\xED\xA0\x80", sign + sign + sign},  // too long, surrogate
                         Row{"\xF4\x90\x80\x80", sign + sign + sign + sign}, Row{"\xE2\x82", sign},
                         Row{"\xE2\x28", sign + "("}}) {
    CAPTURE(row.text);
    CHECK(valid_utf8(row.text) == row.valid);
  }
}

TEST_CASE("utf8 stream: byte by byte, every part is whole and together they are the text") {
  const std::string text = "aé€😀\xFFz\xE2\x82";
  Utf8Stream stream;
  std::string all;
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const std::string part = stream.next(std::string_view(text).substr(0, n));
    CHECK(valid_utf8(part) == part);
    all += part;
  }
  CHECK(all == "aé€😀\xEF\xBF\xBDz");
  CHECK(stream.rest(text) == "\xEF\xBF\xBD");
  CHECK(stream.rest(text).empty());
}

TEST_CASE("utf8 stream: replacement characters at the end wait for what they become") {
  Utf8Stream stream;
  CHECK(stream.next("a\xEF\xBF\xBD") == "a");
  CHECK(stream.next("a\xEF\xBF\xBD\xEF\xBF\xBD").empty());
  CHECK(stream.next("a😀") == "😀");
  CHECK(stream.next("a").empty());  // a tokenizer that takes text back cannot be followed
}
