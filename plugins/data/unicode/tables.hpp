#pragma once

// What Unicode 15.0 says of each character.

#include <cstdint>

namespace mortise::unicode {

enum class Category : std::uint8_t {
  Cn,
  Lu,
  Ll,
  Lt,
  Lm,
  Lo,
  Mn,
  Mc,
  Me,
  Nd,
  Nl,
  No,
  Pc,
  Pd,
  Ps,
  Pe,
  Pi,
  Pf,
  Po,
  Sm,
  Sc,
  Sk,
  So,
  Zs,
  Zl,
  Zp,
  Cc,
  Cf,
  Cs,
  Co
};

// The category in the lower five bits; two properties beside it.
struct Properties {
  std::uint8_t bits;

  constexpr Category category() const { return Category(bits & 0x1F); }
  constexpr bool is_white_space() const { return bits & 0x20; }
  constexpr bool is_alphabetic() const { return bits & 0x40; }
  constexpr bool is_in(Category first, Category last) const {
    return category() >= first && category() <= last;
  }
  constexpr bool is_letter() const { return is_in(Category::Lu, Category::Lo); }
  constexpr bool is_mark() const { return is_in(Category::Mn, Category::Me); }
  constexpr bool is_number() const { return is_in(Category::Nd, Category::No); }
  constexpr bool is_punctuation() const { return is_in(Category::Pc, Category::Po); }
  constexpr bool is_symbol() const { return is_in(Category::Sm, Category::So); }
};

extern const std::uint8_t kBlockOf[];
extern const std::uint8_t kBlocks[][128];

// `c` is at most 0x10FFFF.
inline Properties properties_of(char32_t c) { return {kBlocks[kBlockOf[c / 128]][c % 128]}; }

// A character of valid UTF-8 and its size in bytes.
struct Character {
  char32_t value;
  unsigned size;
};
inline Character character_at(const char* at) {
  const auto byte = [at](int i) { return char32_t(static_cast<unsigned char>(at[i])); };
  if (byte(0) < 0x80) return {byte(0), 1};
  if (byte(0) < 0xE0) return {(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (byte(0) < 0xF0) return {(byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {
      (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F),
      4};
}

}  // namespace mortise::unicode
