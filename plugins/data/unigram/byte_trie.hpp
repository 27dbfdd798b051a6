#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mortise::unigram {

// Finds all keys that a text begins with: a double array, one lookup for each byte.
class ByteTrie {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Each key has its place in the list as value; of equal keys the last one counts. An empty key is
  // never found.
  explicit ByteTrie(const std::vector<std::string_view>& keys);

  // The value of `key`, or kNone.
  std::uint32_t find(std::string_view key) const;

  // Calls found(length, value) for each key that `text` begins with, shortest first.
  template <class Found>
  void prefixes(std::string_view text, Found&& found) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i != text.size(); ++i) {
      node = child(node, text[i]);
      if (node == kNone) return;
      if (units_[node].value != kNone) found(i + 1, units_[node].value);
    }
  }

 private:
  struct Unit {
    std::uint32_t base = 0;        // of the children: child c is at base + c
    std::uint32_t parent = kNone;  // kNone: free
    std::uint32_t value = kNone;
  };
  class Builder;

  std::uint32_t child(std::uint32_t node, char byte) const {
    const std::uint32_t at = units_[node].base + static_cast<unsigned char>(byte);
    return at < units_.size() && units_[at].parent == node ? at : kNone;
  }

  std::vector<Unit> units_;
};

}  // namespace mortise::unigram
