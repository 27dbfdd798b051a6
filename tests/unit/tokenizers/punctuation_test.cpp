// Answers of Hugging Face tokenizers 0.23.3: pre_tokenizers.Punctuation("isolated") on "a" + c +
// "a".

#include "plugins/data/huggingface/punctuation.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using mortise::huggingface::is_punctuation;

TEST_CASE("punctuation: of ASCII with its symbols, otherwise that of Unicode 8.0") {
  for (const char32_t c : {U'!', U'$', U'^', U'`', U'~', U'_', U'\u00ab', U'\u3001', U'\u166d',
                           U'\u2e42', U'\U000111c9'})
    CHECK(is_punctuation(c));
  for (const char32_t c : {U'a', U'0', U' ', U'\u00a9', U'\u20ac', U'\u2e43', U'\u2e4f', U'\u2e5d',
                           U'\u0c77', U'\U00010ead', U'\U00011b05', U'\U0001e95f'})
    CHECK_FALSE(is_punctuation(c));
}
