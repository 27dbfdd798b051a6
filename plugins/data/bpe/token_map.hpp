#pragma once

// From the bytes of a token to its id.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::bpe {

// Threads: any thread may call find() once the last insert() is done.
class TokenMap {
 public:
  explicit TokenMap(std::size_t expected = 0);

  // Whether `bytes` is new; a token that is there keeps its id.
  bool insert(std::string_view bytes, std::uint32_t id);
  std::optional<std::uint32_t> find(std::string_view bytes) const;
  std::size_t size() const { return tokens_.size(); }

 private:
  struct Token {
    std::size_t offset;  // in bytes_
    std::uint32_t size;
    std::uint32_t id;
  };
  struct Slot {
    std::uint32_t hash = 0;   // upper half
    std::uint32_t token = 0;  // index in tokens_, plus one; 0: free
  };

  std::size_t slot_of(std::string_view bytes, std::uint64_t hash) const;
  std::string_view bytes_of(const Token& token) const {
    return {bytes_.data() + token.offset, token.size};
  }
  void grow(std::size_t slots);

  std::uint64_t salt_;  // as in PairTable
  std::string bytes_;
  std::vector<Token> tokens_;
  std::vector<Slot> slots_;
};

}  // namespace mortise::bpe
