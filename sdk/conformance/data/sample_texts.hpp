#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mortise::conformance {

struct SampleText {
  const char* what;
  std::string text;
};

// Valid UTF-8 of every length of character and of every kind that tokenizers get wrong.
inline std::vector<SampleText> valid_texts() {
  using namespace std::string_literals;
  std::vector<SampleText> all = {
      {"one letter", "a"},
      {"a sentence", "The quick brown fox, 12 dogs; it's \"fine\"."},
      {"white space", " \t\r\n  \n\n x  "},
      {"two bytes a character", "Gr\u00fc\u00dfe, \u041f\u0440\u0438\u0432\u0435\u0442"},
      {"three bytes a character", "\u6f22\u5b57\u304b\u306a \ud55c\uad6d\uc5b4 \u20ac"},
      {"four bytes a character (astral)", "\U0001F600 \U0001D518 \U0002070E \U0010FFFF"},
      {"combining characters", "e\u0301 n\u0303 \u0915\u094d\u0937 a\u0300\u0323\u0300"},
      {"a composed character stays composed", "\u00e9 and e\u0301"},
      {"joined emoji", "\U0001F469\u200D\U0001F4BB \U0001F3F3\uFE0F\u200D\U0001F308"},
      {"right to left", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627"},
      {"a byte of zero", "a\0b\0"s},
      {"control characters", "\x01\x1b[2K\x7f"},
      {"a byte order mark", "\uFEFFtext"},
      {"what a special token looks like", "<|endoftext|><s></s><unk>"},
  };
  std::string all_of_them;
  for (const SampleText& t : all) all_of_them += t.text;
  std::string lengthy;
  while (lengthy.size() < (std::size_t(1) << 16)) lengthy += all_of_them;
  all.push_back({"a long text", lengthy});
  all.push_back({"one character, many times", std::string(5000, 'z')});
  return all;
}

inline std::vector<std::string> invalid_texts() {
  return {"\xff",          "\x80",     "a\xc3",        "\xe2\x82",
          "\xf0\x9f\x98",  "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80",
          "ok \xfe\xff ok"};
}

}  // namespace mortise::conformance
