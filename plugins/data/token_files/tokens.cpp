#include "tokens.hpp"

#include "bytes.hpp"

namespace mortise::token_files {

namespace {

// At any address: the header before them may have any length.
template <class T>
void copy(std::string_view bytes, std::int64_t first, std::int64_t count, std::int64_t* out) {
  for (std::int64_t i = 0; i != count; ++i)
    out[i] = static_cast<std::int64_t>(number_at<T>(bytes, std::uint64_t(first + i) * sizeof(T)));
}

}  // namespace

void read_tokens(std::string_view bytes, Element element, std::int64_t first, std::int64_t count,
                 std::int64_t* out) {
  switch (element) {
    case Element::u8:
      return copy<std::uint8_t>(bytes, first, count, out);
    case Element::i8:
      return copy<std::int8_t>(bytes, first, count, out);
    case Element::u16:
      return copy<std::uint16_t>(bytes, first, count, out);
    case Element::i16:
      return copy<std::int16_t>(bytes, first, count, out);
    case Element::u32:
      return copy<std::uint32_t>(bytes, first, count, out);
    case Element::i32:
      return copy<std::int32_t>(bytes, first, count, out);
    case Element::u64:
      return copy<std::uint64_t>(bytes, first, count, out);
    case Element::i64:
      return copy<std::int64_t>(bytes, first, count, out);
  }
}

}  // namespace mortise::token_files
