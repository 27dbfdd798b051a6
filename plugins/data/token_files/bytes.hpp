#pragma once

// Little-endian numbers in bytes that somebody else wrote.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

static_assert(std::endian::native == std::endian::little, "numbers are read and written in place");

namespace mortise::token_files {

// The number at `offset`; the caller knows that it is inside.
template <class T>
T number_at(std::string_view bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
std::string bytes_of_number(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace mortise::token_files
