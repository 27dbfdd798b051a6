// Ids from Hugging Face tokenizers 0.23.3: models.Unigram(pieces, 0, byte_fallback).tokenize(text).

#include "plugins/data/unigram/unigram.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <mortise/error.hpp>

#include "plugins/data/unigram/byte_trie.hpp"

using namespace mortise::unigram;
using Ids = std::vector<std::uint32_t>;

namespace {

std::vector<Piece> pieces() {
  return {{"<unk>", 0}, {"a", -1},    {"b", -2},    {"ab", -3},       {"abc", -2.5},
          {"c", -4},    {"zz", -5.5}, {"z", -2.75}, {"\u2581", -1.5}, {"\u65e5", -6}};
}

std::vector<Piece> with_bytes() {
  std::vector<Piece> all = pieces();
  for (const char high : std::string("0123456789ABCDEF"))
    for (const char low : std::string("0123456789ABCDEF"))
      all.push_back({std::string("<0x") + high + low + ">", -20});
  return all;
}

Ids encoded(const Unigram& model, std::string_view text) {
  Workspace work;
  Ids ids;
  model.encode(text, work, ids);
  return ids;
}

}  // namespace

TEST_CASE("unigram: the best sum of scores, and of equals the one found first") {
  const Unigram model(pieces(), 0, false);
  CHECK(encoded(model, "").empty());
  CHECK(encoded(model, "ab") == Ids{3});
  CHECK(encoded(model, "abc") == Ids{4});
  CHECK(encoded(model, "zz") == Ids{6});
  CHECK(encoded(model, "zzz") == Ids{7, 6});
  CHECK(encoded(model, "a\u2581b") == Ids{1, 8, 2});
}

TEST_CASE("unigram: what has no piece is one unknown, or bytes") {
  const Unigram model(pieces(), 0, false), bytes(with_bytes(), 0, true);
  CHECK(encoded(model, "xyab") == Ids{0, 3});
  CHECK(encoded(model, "\u65e5\u672c") == Ids{9, 0});
  CHECK(encoded(model, "\u672c\u8a9e\u65e5") == Ids{0, 9});
  CHECK(encoded(model, "<unk>x") == Ids{0});
  CHECK(encoded(bytes, "\u65e5\u672c") == Ids{9, 240, 166, 182});
  CHECK(encoded(bytes, "a\U0001f999b") == Ids{1, 250, 169, 176, 163, 2});
  CHECK(encoded(bytes, "<0x41>") == Ids{75});
}

TEST_CASE("unigram: pieces of bytes that are not all there give the unknown piece") {
  std::vector<Piece> all = with_bytes();
  all.pop_back();
  const Unigram model(all, 0, true);
  CHECK(encoded(model, "x") == Ids{130});
  CHECK(encoded(model, "\xFF") == Ids{0});
}

TEST_CASE("unigram: of equal pieces the last one counts, an empty one is never found") {
  const Unigram model({{"<unk>", 0}, {"", -1}, {"a", -9}, {"aa", -3}, {"a", -1}}, 0, false);
  CHECK(encoded(model, "aa") == Ids{4, 4});
}

TEST_CASE("unigram: a zero byte is a byte like others") {
  const Unigram model({{"<unk>", 0}, {std::string("\0", 1), -1}, {"a", -1}}, 0, false);
  CHECK(encoded(model, std::string_view("\0a\0", 3)) == Ids{1, 2, 1});
}

TEST_CASE("unigram: a long text without a break keeps its memory small") {
  const Unigram model(pieces(), 0, false);
  Workspace work;
  Ids ids;
  model.encode(std::string(3'000'000, 'c'), work, ids);
  CHECK(ids == Ids(3'000'000, 5));
  CHECK(work.nodes.capacity() < 1000);
}

TEST_CASE("unigram: a vocabulary that is none is refused") {
  CHECK_THROWS_AS(Unigram({}, std::nullopt, false), mortise::DataError);
  CHECK_THROWS_AS(Unigram(pieces(), 10, false), mortise::DataError);
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(Unigram({{"a", no_number}}, std::nullopt, false), mortise::DataError);
  const Unigram without_unknown({{"a", -1}}, std::nullopt, false);
  CHECK(encoded(without_unknown, "aa") == Ids{0, 0});
  CHECK_THROWS_AS(encoded(without_unknown, "ab"), mortise::Error);
}

TEST_CASE("unigram: building a trie takes time in proportion to its keys") {
  std::vector<std::string> texts;
  for (int i = 0; i != 1'000'000; ++i) texts.push_back("t" + std::to_string(i));
  // Minutes, where each search for room begins in the same nearly full region.
  const ByteTrie trie(std::vector<std::string_view>(texts.begin(), texts.end()));
  bool found = true;
  for (std::size_t i = 0; i != texts.size(); ++i) found = found && trie.find(texts[i]) == i;
  CHECK(found);
}
