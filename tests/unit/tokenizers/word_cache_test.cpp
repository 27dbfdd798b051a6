#include "plugins/data/bpe/word_cache.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

#include "plugins/data/bpe/token_map.hpp"

using namespace mortise::bpe;
using Ids = std::vector<std::uint32_t>;

TEST_CASE("short word: bytes after the word make no difference, bytes and length of it do") {
  const std::string text = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t size = 1; size <= ShortWord::kLongest; ++size) {
    const std::string word = text.substr(0, size);
    const std::string longer = word + "ZZZZZZZZZZZZZZZZ";
    const ShortWord at_the_end = ShortWord::of(word, word.data() + word.size());
    const ShortWord inside =
        ShortWord::of(std::string_view(longer).substr(0, size), longer.data() + longer.size());
    CHECK(at_the_end == inside);
    CHECK(at_the_end.hash() == inside.hash());
    std::string other = word;
    other.back() = '\0';
    CHECK_FALSE(ShortWord::of(other, other.data() + size) == at_the_end);
    other.pop_back();
    if (!other.empty())
      CHECK_FALSE(ShortWord::of(other, other.data() + other.size()) == at_the_end);
  }
}

TEST_CASE("word cache: what it finds is what was added, whatever it forgot") {
  WordCache cache;
  std::mt19937 random(3);
  std::map<std::string, Ids> added;
  std::size_t found = 0;
  for (int i = 0; i != 300000; ++i) {
    std::string word = "w" + std::to_string(random() % 20000);
    if (i % 3 == 0) word += std::string(random() % 4 * 60, 'x');
    Ids ids(1 + word.size() % 7, std::uint32_t(random()));
    const bool is_short = word.size() <= ShortWord::kLongest && ids.size() <= WordCache::kFewIds;
    const auto known = added.find(word);
    if (is_short) {
      const ShortWord key = ShortWord::of(word, word.data() + word.size());
      if (const auto* entry = cache.find(key, key.hash())) {
        ++found;
        REQUIRE(known != added.end());
        REQUIRE(Ids(entry->ids, entry->ids + entry->count) == known->second);
        continue;
      }
      cache.add(key, key.hash(), ids);
    } else {
      const auto kept = cache.find_long(word);
      if (!kept.empty()) {
        ++found;
        REQUIRE(known != added.end());
        REQUIRE(Ids(kept.begin(), kept.end()) == known->second);
        continue;
      }
      cache.add_long(word, ids);
    }
    added[word] = ids;
  }
  CHECK(found > 100000);
}

TEST_CASE("token map: keeps the first id of each token, whatever its bytes") {
  TokenMap map;
  CHECK(map.insert("", 7));
  CHECK(map.insert(std::string(1, '\0'), 8));
  for (std::uint32_t i = 0; i != 50000; ++i) REQUIRE(map.insert("t" + std::to_string(i), i));
  CHECK_FALSE(map.insert("t5", 99));
  for (std::uint32_t i = 0; i != 50000; ++i) REQUIRE(map.find("t" + std::to_string(i)) == i);
  CHECK(map.find("") == 7u);
  CHECK(map.find(std::string(1, '\0')) == 8u);
  CHECK_FALSE(map.find("t50000"));
  CHECK(map.size() == 50002);
}
