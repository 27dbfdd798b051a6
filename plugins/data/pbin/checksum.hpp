#pragma once

// XXH3 over bytes that arrive in parts.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mortise::pbin {

class Checksum {
 public:
  Checksum();
  ~Checksum();
  void add(std::string_view bytes);
  // 16 and 32 hex digits, in the canonical order of xxhsum.
  std::string hex64() const;
  std::string hex128() const;
  std::array<std::uint64_t, 2> words128() const;

 private:
  struct State;  // keeps xxhash.h out of this header
  std::unique_ptr<State> state_;
};

}  // namespace mortise::pbin
