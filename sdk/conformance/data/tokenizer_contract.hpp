#pragma once

// What every Tokenizer owes its caller, whatever its vocabulary.

#include <mortise/data/tokenizer.hpp>
#include <set>

#include "../at_once.hpp"
#include "../both_ways.hpp"
#include "sample_texts.hpp"

namespace mortise::conformance {

struct TokenizerTraits {
  bool restores_text = true;  // decode(encode(text)) == text for valid UTF-8
};

namespace tokenizer {

using Ids = std::vector<std::uint32_t>;

inline bool in_range(const Ids& ids, std::int64_t vocabulary_size) {
  for (const std::uint32_t id : ids)
    if (std::int64_t(id) >= vocabulary_size) return false;
  return true;
}

inline void check_vocabulary(const Tokenizer& t, Report& report) {
  const std::int64_t size = t.vocabulary_size();
  report.expect(size > 0, "vocabulary_size: is positive");
  report.expect(t.vocabulary_size() == size, "vocabulary_size: is the same every time");
  report.expect(!t.fingerprint().empty(), "fingerprint: is not empty");
  report.expect(t.fingerprint() == t.fingerprint(), "fingerprint: is the same every time");
  std::set<std::string> names;
  for (const SpecialToken& s : t.special_tokens()) {
    report.expect(s.id >= 0 && s.id < size, "special_tokens: ids are in [0, vocabulary_size)");
    report.expect(!s.name.empty() && names.insert(s.name).second,
                  "special_tokens: names are unique and not empty");
    const auto id = static_cast<std::uint32_t>(s.id);
    report.expect(t.decode(std::span(&id, 1)).empty(), "decode: a special token has no text");
  }
}

inline void check_texts(const Tokenizer& t, const TokenizerTraits& traits, Report& report) {
  const std::int64_t size = t.vocabulary_size();
  std::set<std::int64_t> special;
  for (const SpecialToken& s : t.special_tokens()) special.insert(s.id);
  for (const auto& [what, text] : valid_texts()) {
    const auto scope = report.inside(what);
    const Ids ids = t.encode(text);
    report.expect(in_range(ids, size), "encode: ids are in [0, vocabulary_size)");
    report.expect(t.encode(text) == ids, "encode: gives the same ids every time");
    report.expect(
        std::none_of(ids.begin(), ids.end(), [&](auto id) { return special.count(id) != 0; }),
        "encode: adds no special tokens");
    if (traits.restores_text)
      report.expect(t.decode(ids) == text, "decode: gives back what encode was given");
  }
}

inline void check_empty(const Tokenizer& t, Report& report) {
  report.expect(t.encode("").empty(), "encode: an empty text has no ids");
  report.expect(t.decode(Ids{}).empty(), "decode: no ids are an empty text");
  const EncodedBatch batch = t.encode_batch({});
  report.expect(batch.ids.empty() && batch.ends.empty(), "encode_batch: no texts have no ids");
}

// Ids or an error, as the tokenizer documents, but the same each time.
inline void check_invalid(const Tokenizer& t, Report& report) {
  const auto answer = [&](const std::string& text) -> std::pair<Ids, std::string> {
    try {
      return {t.encode(text), ""};
    } catch (const Error& e) {
      return {{}, e.what()};
    }
  };
  for (const std::string& text : invalid_texts()) {
    const auto first = answer(text);
    report.expect(in_range(first.first, t.vocabulary_size()),
                  "encode: ids of invalid UTF-8 are in [0, vocabulary_size)");
    report.expect(answer(text) == first, "encode: invalid UTF-8 has the same answer every time");
    if (first.second.empty()) static_cast<void>(t.decode(first.first));
  }
}

inline void check_refusals(const Tokenizer& t, Report& report) {
  const std::int64_t size = t.vocabulary_size();
  for (const std::int64_t id : {size, std::int64_t(0xffffffffu)}) {
    if (id > std::int64_t(0xffffffffu)) continue;
    const auto out_of_range = static_cast<std::uint32_t>(id);
    report.expect_refusal(ErrorCode::bad_argument, std::to_string(id),
                          "decode: refuses an id that is out of range",
                          [&] { t.decode(std::span(&out_of_range, 1)); });
  }
}

inline void check_batch(const Tokenizer& t, Report& report) {
  const std::vector<SampleText> texts = valid_texts();
  std::vector<std::string_view> views{""};
  for (const SampleText& s : texts) views.push_back(s.text);
  views.push_back("");
  const EncodedBatch batch = t.encode_batch(views);
  if (!report.expect(batch.ends.size() == views.size(), "encode_batch: each text has an end"))
    return;
  Ids expected;
  for (std::size_t i = 0; i != views.size(); ++i) {
    const Ids ids = t.encode(views[i]);
    expected.insert(expected.end(), ids.begin(), ids.end());
    report.expect(batch.ends[i] == std::int64_t(expected.size()),
                  "encode_batch: text i ends before ends[i]");
  }
  report.expect(batch.ids == expected, "encode_batch: equals encode of each text");
}

inline void check_at_once(const Tokenizer& t, const TokenizerTraits& traits, Report& report) {
  const std::vector<SampleText> texts = valid_texts();
  std::vector<Ids> expected;
  for (const SampleText& s : texts) expected.push_back(t.encode(s.text));
  std::array<bool, 4> same{};
  run_at_once(4, [&](int thread) {
    bool all = true;
    for (std::size_t i = 0; i != texts.size(); ++i) {
      const std::size_t k = (i + std::size_t(thread) * 3) % texts.size();
      all = all && t.encode(texts[k].text) == expected[k];
      if (traits.restores_text) all = all && t.decode(expected[k]) == texts[k].text;
    }
    same[std::size_t(thread)] = all;
  });
  report.expect(same == std::array<bool, 4>{true, true, true, true},
                "encode, decode: any thread may call, at the same time as others");
}

}  // namespace tokenizer

inline void check_tokenizer_contract(const Tokenizer& t, Report& report,
                                     TokenizerTraits traits = {}) {
  report.section("vocabulary", [&] { tokenizer::check_vocabulary(t, report); });
  report.section("texts", [&] { tokenizer::check_texts(t, traits, report); });
  report.section("empty text", [&] { tokenizer::check_empty(t, report); });
  report.section("invalid UTF-8", [&] { tokenizer::check_invalid(t, report); });
  report.section("refusals", [&] { tokenizer::check_refusals(t, report); });
  report.section("encode_batch", [&] { tokenizer::check_batch(t, report); });
  report.section("threads", [&] { tokenizer::check_at_once(t, traits, report); });
}

}  // namespace mortise::conformance
