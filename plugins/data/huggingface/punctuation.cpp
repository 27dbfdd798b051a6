#include "punctuation.hpp"

#include <algorithm>
#include <iterator>

#include "../unicode/tables.hpp"

namespace mortise::huggingface {

namespace {

struct Range {
  char32_t first, last;
};

// Punctuation since 8.0, found by asking `tokenizers` 0.23.3 for each character.
constexpr Range kNewer[] = {
    {0x61D, 0x61D},     {0x9FD, 0x9FD},     {0xA76, 0xA76},     {0xC77, 0xC77},
    {0xC84, 0xC84},     {0x1B7D, 0x1B7E},   {0x2E43, 0x2E4F},   {0x2E52, 0x2E5D},
    {0x10EAD, 0x10EAD}, {0x10F55, 0x10F59}, {0x10F86, 0x10F89}, {0x1144B, 0x1144F},
    {0x1145A, 0x1145B}, {0x1145D, 0x1145D}, {0x11660, 0x1166C}, {0x116B9, 0x116B9},
    {0x1183B, 0x1183B}, {0x11944, 0x11946}, {0x119E2, 0x119E2}, {0x11A3F, 0x11A46},
    {0x11A9A, 0x11A9C}, {0x11A9E, 0x11AA2}, {0x11B00, 0x11B09}, {0x11C41, 0x11C45},
    {0x11C70, 0x11C71}, {0x11EF7, 0x11EF8}, {0x11F43, 0x11F4F}, {0x11FFF, 0x11FFF},
    {0x12FF1, 0x12FF2}, {0x16E97, 0x16E9A}, {0x16FE2, 0x16FE2}, {0x1E95E, 0x1E95F}};

bool is_newer(char32_t c) {
  const auto* const found =
      std::upper_bound(std::begin(kNewer), std::end(kNewer), c,
                       [](char32_t value, const Range& range) { return value < range.first; });
  return found != std::begin(kNewer) && c <= std::prev(found)->last;
}

}  // namespace

bool is_punctuation(char32_t c) {
  const unicode::Properties properties = unicode::properties_of(c);
  if (c < 0x80) return properties.is_punctuation() || properties.is_symbol();
  if (c == 0x166D || c == 0x111C9) return true;  // no punctuation any more
  return properties.is_punctuation() && !is_newer(c);
}

}  // namespace mortise::huggingface
