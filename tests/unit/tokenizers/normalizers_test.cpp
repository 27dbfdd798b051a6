// Values from Hugging Face tokenizers 0.23.3: normalizers.NAME().normalize_str(text).

#include <doctest/doctest.h>

#include <mortise/error.hpp>

#include "plugins/data/normalizers/normalizer.hpp"

using namespace mortise::normalizers;

namespace {

std::string applied(const NormalizerPtr& normalizer, std::string text) {
  normalizer->apply(text);
  return text;
}

}  // namespace

TEST_CASE("normalizers: Unicode forms, with tables of Unicode 9.0") {
  struct Row {
    const char *text, *nfc, *nfd, *nfkc, *nfkd;
  };
  for (const Row& row :
       {Row{"plain", "plain", "plain", "plain", "plain"},
        Row{"\u00e9", "\u00e9", "e\u0301", "\u00e9", "e\u0301"},
        Row{"xe\u0301x", "x\u00e9x", "xe\u0301x", "x\u00e9x", "xe\u0301x"},
        Row{"\ufb01\uff12\u3392", "\ufb01\uff12\u3392", "\ufb01\uff12\u3392", "fi2MHz", "fi2MHz"},
        Row{"\u1100\u1161\u11a8", "\uac01", "\u1100\u1161\u11a8", "\uac01", "\u1100\u1161\u11a8"},
        Row{"\u0344", "\u0308\u0301", "\u0308\u0301", "\u0308\u0301", "\u0308\u0301"},
        Row{"a\u0315\u0300\u05ae\u0300b", "\u00e0\u05ae\u0300\u0315b", "a\u05ae\u0300\u0300\u0315b",
            "\u00e0\u05ae\u0300\u0315b", "a\u05ae\u0300\u0300\u0315b"},
        Row{"\u1e9b\u0323", "\u1e9b\u0323", "\u017f\u0323\u0307", "\u1e69", "s\u0323\u0307"},
        // Newer than Unicode 9: no class, no decomposition.
        Row{"\u07fd\u0300e\u0301", "\u07fd\u0300\u00e9", "\u07fd\u0300e\u0301",
            "\u07fd\u0300\u00e9", "\u07fd\u0300e\u0301"},
        Row{"\u32ff\ufb01", "\u32ff\ufb01", "\u32ff\ufb01", "\u32fffi", "\u32fffi"},
        Row{"\U00011935\U00011930", "\U00011935\U00011930", "\U00011935\U00011930",
            "\U00011935\U00011930", "\U00011935\U00011930"}}) {
    CAPTURE(row.text);
    CHECK(applied(unicode_form(Form::nfc), row.text) == row.nfc);
    CHECK(applied(unicode_form(Form::nfd), row.text) == row.nfd);
    CHECK(applied(unicode_form(Form::nfkc), row.text) == row.nfkc);
    CHECK(applied(unicode_form(Form::nfkd), row.text) == row.nfkd);
  }
}

TEST_CASE("normalizers: lowercase looks at each character alone") {
  CHECK(applied(lowercase(), "A\u0391\u03a3") == "a\u03b1\u03c3");
  CHECK(applied(lowercase(), "\u0130STANBUL") == "i\u0307stanbul");
  CHECK(applied(lowercase(), "\u1e9e\u00c0") == "\u00df\u00e0");
  CHECK(applied(lowercase(), "\ua7cb\U00010d50\U00016ea0") == "\u0264\U00010d70\U00016ebb");
}

TEST_CASE("normalizers: strip takes white space of all kinds from the ends asked for") {
  const std::string text = "\u3000\t a b\u00a0\n";
  CHECK(applied(strip(true, true), text) == "a b");
  CHECK(applied(strip(true, false), text) == "a b\u00a0\n");
  CHECK(applied(strip(false, true), text) == "\u3000\t a b");
  CHECK(applied(strip(true, true), " \u2028 ").empty());
}

TEST_CASE("normalizers: prepend and replace") {
  CHECK(applied(prepend("\u2581"), "a") == "\u2581a");
  CHECK(applied(prepend("\u2581"), "").empty());
  CHECK(applied(replace(" ", "\u2581"), "a  b ") == "a\u2581\u2581b\u2581");
  CHECK(applied(replace("aa", "a"), "aaaaa") == "aaa");
  CHECK(applied(replace_regex(" {2,}", "_"), "a   b c  ") == "a_b c_");
  CHECK(applied(replace_regex("a*", "_"), "baac") == "_b_c_");
  CHECK(applied(replace_regex("\\s", "$0"), "a\u3000b") == "a$0b");
  CHECK(applied(replace_regex("x*", "_"), "").empty());
  CHECK_THROWS_AS(replace("", "a"), mortise::DataError);
  CHECK_THROWS_AS(replace_regex("(", "a"), mortise::DataError);
  // As Oniguruma reads them, and no bytes of a character.
  CHECK(applied(replace_regex("^a", "b"), "a\na") == "b\nb");
  CHECK(applied(replace_regex("\\w", "_"), "a\u2160\u00b2-") == "___-");
  CHECK_THROWS_AS(replace_regex("\\C", "_"), mortise::DataError);
  CHECK_THROWS_AS(replace_regex("(*NO_JIT)a", "_"), mortise::DataError);
}

TEST_CASE("normalizers: a sequence goes from the first step to the last") {
  std::vector<NormalizerPtr> steps;
  steps.push_back(prepend(" "));
  steps.push_back(replace(" ", "\u2581"));
  CHECK(applied(sequence(std::move(steps)), "a b") == "\u2581a\u2581b");
}

TEST_CASE("normalizers: steps that feed on each other stop the text, not the process") {
  const auto many = [](auto step) {
    std::vector<NormalizerPtr> steps;
    for (int i = 0; i != 40; ++i) steps.push_back(step());
    return sequence(std::move(steps));
  };
  const std::string kilobyte(1000, 'a');
  CHECK_THROWS_AS(applied(many([] { return replace("a", "aa"); }), "a"), mortise::Error);
  CHECK_THROWS_AS(applied(many([] { return replace_regex("a", "aa"); }), "a"), mortise::Error);
  CHECK_THROWS_AS(applied(prepend(std::string(2'000'000, 'a')), "a"), mortise::Error);
  CHECK_THROWS_AS(applied(replace("a", kilobyte), std::string(2000, 'a')), mortise::Error);
  CHECK(applied(replace("a", kilobyte), std::string(1000, 'a')).size() == 1'000'000);
}

TEST_CASE("normalizers: a regular expression without end stops the text with its limit") {
  CHECK_THROWS_AS(applied(replace_regex("(a+)+$", "_"), std::string(100, 'a') + "b"),
                  mortise::Error);
}
