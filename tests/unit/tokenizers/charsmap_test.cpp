#include "plugins/data/normalizers/charsmap.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <mortise/error.hpp>

#include "plugins/data/normalizers/normalizer.hpp"

using mortise::DataError;
using mortise::normalizers::Charsmap;

namespace {

constexpr std::uint32_t kValueFollows = 1u << 8, kValue = 1u << 31;

// A double array of 512 units: each has a label and offset 256 units further, unless told else.
struct Array {
  std::uint32_t units[512] = {};
  std::string replacements{"A\0", 2};

  std::string bytes() const {
    const std::uint32_t size = sizeof units;
    std::string all(sizeof size + size, '\0');
    std::memcpy(all.data(), &size, sizeof size);
    std::memcpy(all.data() + sizeof size, units, size);
    return all + replacements;
  }
};

// Maps "a" to "A", and "ab" to nothing: its value is the zero byte behind "A".
Array a_to_capital() {
  Array array;
  array.units[0] = 256u << 10;
  array.units[256 ^ 'a'] = 'a' | kValueFollows | std::uint32_t(256 ^ 'a' ^ 128) << 10;
  array.units[128] = kValue | 0;
  array.units[128 ^ 'b'] = 'b' | kValueFollows | std::uint32_t(128 ^ 'b' ^ 300) << 10;
  array.units[300] = kValue | 1;
  return array;
}

}  // namespace

TEST_CASE("charsmap: the shortest key that a text begins with") {
  const Charsmap map(a_to_capital().bytes());
  CHECK(map.shortest("a") == "A");
  CHECK(map.shortest("abc") == "A");
  CHECK(!map.shortest("b").has_value());
  CHECK(!map.shortest("").has_value());
  CHECK(!map.shortest(std::string_view("\0a", 2)).has_value());
}

TEST_CASE("charsmap: precompiled replaces characters and whole graphemes") {
  const auto normalizer = mortise::normalizers::precompiled(a_to_capital().bytes());
  std::string text = "bab a\u0301 \u00e9a\r\n";
  normalizer->apply(text);
  CHECK(text == "bAb A \u00e9A\r\n");  // a with its accent is one grapheme, and its shortest key a
}

TEST_CASE("charsmap: one that leads astray is refused") {
  const auto refused = [](const std::string& bytes) {
    CHECK_THROWS_AS(static_cast<void>(Charsmap(bytes)), DataError);
  };
  refused("");
  refused("abc");
  refused(a_to_capital().bytes().substr(0, 1000));
  refused(std::string(4, '\0') + "x");
  std::string lying = a_to_capital().bytes();
  lying[3] = '\x7f';
  refused(lying);
  Array array = a_to_capital();
  array.replacements = "A";
  refused(array.bytes());
  array.replacements.clear();
  refused(array.bytes());
  array = a_to_capital();
  array.units[300] = kValue | 2;
  refused(array.bytes());
  array = a_to_capital();
  array.replacements = std::string("\xFF\0", 2);
  refused(array.bytes());
  array.replacements = std::string("\u00e9\0", 3);  // where the second value is its second byte
  refused(array.bytes());
  array.units[300] = kValue | 2;
  static_cast<void>(Charsmap(array.bytes()));
  array = a_to_capital();
  array.units[7] = 512u << 10;
  refused(array.bytes());
  array.units[7] = 0x7FFFFE00u;
  refused(array.bytes());
}
