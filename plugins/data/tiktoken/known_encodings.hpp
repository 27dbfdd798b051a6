#pragma once

// What rank files do not say: how text is cut, and the special tokens, of encodings with a name.

#include <cstdint>
#include <span>
#include <string_view>

namespace mortise::tiktoken {

struct KnownToken {
  std::string_view text;
  std::uint32_t id;
};

struct KnownEncoding {
  std::string_view name;
  std::string_view pattern;
  std::span<const KnownToken> special;
  std::string_view end_of_document;
  std::string_view begin_of_document;
  std::uint32_t vocabulary;  // ids, with those that are reserved
};

// Null: none of that name.
const KnownEncoding* known_encoding(std::string_view name);

// "gpt2, cl100k_base, …"
std::string_view known_names();

}  // namespace mortise::tiktoken
