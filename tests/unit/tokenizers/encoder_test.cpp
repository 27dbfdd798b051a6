#include "plugins/data/bpe/encoder.hpp"

#include <doctest/doctest.h>

#include <string>

#include "plugins/data/bpe/pool.hpp"

using namespace mortise::bpe;
using Ids = std::vector<std::uint32_t>;

namespace {

void one_for_each_byte(std::string_view word, Ids& ids) {
  for (const char c : word) ids.push_back(static_cast<unsigned char>(c));
}

Ids encoded(const Encoder& encoder, Encoder::Scratch& scratch,
            const std::vector<std::string_view>& words, std::string_view text) {
  IdList ids;
  encoder.encode(words, text.data() + text.size(), scratch, ids);
  return ids.to_vector();
}

}  // namespace

TEST_CASE("encoder: words give the same ids seen for the first time and again") {
  TokenMap whole;
  whole.insert("no", 300);
  const std::vector<Merge> merges{{'a', 'b', 0, 256}, {256, 256, 1, 257}};
  const Encoder encoder({one_for_each_byte, PairTable(merges), std::move(whole)});
  const std::string text = "abab no nob xyzw " + std::string(40, 'b') + std::string(300, 'a');
  const std::string_view view = text;
  const std::vector<std::string_view> words{view.substr(0, 4),   view.substr(5, 2),
                                            view.substr(8, 3),   view.substr(12, 4),
                                            view.substr(17, 40), view.substr(57, 300)};
  Ids expected{257, 300, 'n', 'o', 'b', 'x', 'y', 'z', 'w'};
  expected.insert(expected.end(), 40, 'b');
  expected.insert(expected.end(), 300, 'a');
  Encoder::Scratch scratch;
  for (int again = 0; again != 3; ++again)
    CHECK(encoded(encoder, scratch, words, text) == expected);
}

TEST_CASE("encoder: a word may have no ids at all") {
  const Encoder encoder({[](std::string_view, Ids&) {}, PairTable(), TokenMap()});
  Encoder::Scratch scratch;
  const std::string text = "short a_much_longer_word";
  const std::vector<std::string_view> words{std::string_view(text).substr(0, 5),
                                            std::string_view(text).substr(6)};
  for (int again = 0; again != 2; ++again) CHECK(encoded(encoder, scratch, words, text).empty());
}

TEST_CASE("pool: what is borrowed is nobody else's until it comes back") {
  Pool<int> pool;
  int* first = nullptr;
  {
    const auto one = pool.borrow();
    const auto two = pool.borrow();
    first = &*one;
    CHECK(&*one != &*two);
  }
  CHECK(&*pool.borrow() == first);
}
