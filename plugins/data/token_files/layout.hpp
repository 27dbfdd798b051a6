#pragma once

// How a token file lies on the disk, whatever its format.

#include <cstdint>
#include <functional>

namespace mortise::token_files {

// plain: numbers of two bytes and nothing else, as nanoGPT writes them.
enum class Format { pbin, megatron, llm_c, plain, npy };

// What a token is stored as, little-endian.
enum class Element { u8, i8, u16, i16, u32, i32, u64, i64 };

std::uint32_t bytes_of(Element element);
// The unsigned element of 1, 2 or 4 bytes.
Element unsigned_element(std::uint32_t bytes);
// "nanoGPT", as messages call it.
const char* name_of(Format format);

struct Layout {
  Format format = Format::pbin;
  Element element = Element::u16;
  std::uint64_t offset = 0;  // of the first token in the file, in bytes
  std::int64_t tokens = 0;

  std::uint64_t data_bytes() const { return std::uint64_t(tokens) * bytes_of(element); }
};

// A run of tokens.
struct TokenSpan {
  std::int64_t first = 0, size = 0;
  bool operator==(const TokenSpan&) const = default;
};

using EachDocument = std::function<void(TokenSpan)>;

}  // namespace mortise::token_files
