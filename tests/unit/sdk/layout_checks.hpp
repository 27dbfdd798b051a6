#pragma once

#include <mortise/c/base.h>

#include <cstddef>

namespace mortise::tests {

// Where a member is and where it must be.
struct At {
  std::size_t is, must;
};

template <class T, class... Members>
constexpr bool has_layout(std::size_t size, Members... members) {
  return sizeof(T) == size && ((members.is == members.must) && ...);
}

// A head, then slots without gaps, in this order and no others.
template <class T, class... Offsets>
constexpr bool is_table(Offsets... offsets) {
  std::size_t expected = 0;
  bool all = true;
  ((all = all && offsets == expected, expected += 8), ...);
  return all && sizeof(T) == expected && offsetof(T, head) == 0;
}

template <class L>
constexpr bool is_list() {
  return sizeof(L) == 16 && offsetof(L, data) == 0 && offsetof(L, size) == 8;
}
template <class S>
constexpr bool is_sink() {
  return sizeof(S) == 16 && offsetof(S, self) == 0 && offsetof(S, put) == 8;
}

}  // namespace mortise::tests
