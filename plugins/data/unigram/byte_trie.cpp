#include "byte_trie.hpp"

#include <algorithm>
#include <numeric>

namespace mortise::unigram {

// Places the children of one node after the other, in the order of a walk through the sorted keys.
class ByteTrie::Builder {
 public:
  Builder(const std::vector<std::string_view>& keys, std::vector<Unit>& units)
      : keys_(keys), units_(units), order_(keys.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return keys_[a] < keys_[b]; });
    std::erase_if(order_, [&](auto i) { return keys_[i].empty(); });
    units_.resize(2 * kRoom);
    units_[0].parent = kNone - 1;  // taken, and nobody's child
    open_.push_back({0, 0, order_.size(), 0});
  }

  void run() {
    while (!open_.empty()) {
      const Range range = open_.back();
      open_.pop_back();
      place(range);
    }
  }

 private:
  static constexpr std::uint32_t kRoom = 512;  // any base has room for its 256 children

  // The keys below a node: they agree in `depth` bytes.
  struct Range {
    std::uint32_t node;
    std::size_t first, end, depth;
  };

  unsigned char byte(std::size_t i, std::size_t depth) const {
    return static_cast<unsigned char>(keys_[order_[i]][depth]);
  }

  void place(Range range) {
    while (range.first != range.end && keys_[order_[range.first]].size() == range.depth)
      units_[range.node].value = order_[range.first++];
    if (range.first == range.end) return;
    children_.clear();
    for (std::size_t i = range.first; i != range.end; ++i)
      if (children_.empty() || children_.back() != byte(i, range.depth))
        children_.push_back(byte(i, range.depth));
    const std::uint32_t base = free_base();
    units_[range.node].base = base;
    for (const unsigned char c : children_) units_[base + c].parent = range.node;
    for (std::size_t i = range.first; i != range.end;) {
      const unsigned char c = byte(i, range.depth);
      std::size_t end = i;
      while (end != range.end && byte(end, range.depth) == c) ++end;
      open_.push_back({base + c, i, end, range.depth + 1});
      i = end;
    }
  }

  // The first base, from the first free unit on, at which all children find a free unit.
  std::uint32_t free_base() {
    while (units_[first_free_].parent != kNone) grow_for(++first_free_);
    std::uint32_t at = first_free_;
    for (std::size_t tried = 0;; ++at) {
      grow_for(at);
      const bool is_free = units_[at].parent == kNone && at >= children_.front();
      if (is_free && fits(at - children_.front())) break;
      // A region that is nearly full is given up, so that building stays linear.
      if (++tried >= kTries) first_free_ = at;
    }
    return at - children_.front();
  }

  bool fits(std::uint32_t base) const {
    return std::all_of(children_.begin(), children_.end(),
                       [&](unsigned char c) { return units_[base + c].parent == kNone; });
  }

  void grow_for(std::uint32_t at) {
    if (at + kRoom > units_.size()) units_.resize(at + 2 * kRoom);
  }

  static constexpr std::size_t kTries = 256;

  const std::vector<std::string_view>& keys_;
  std::vector<Unit>& units_;
  std::vector<std::uint32_t> order_;
  std::vector<Range> open_;
  std::vector<unsigned char> children_;
  std::uint32_t first_free_ = 1;
};

ByteTrie::ByteTrie(const std::vector<std::string_view>& keys) { Builder(keys, units_).run(); }

std::uint32_t ByteTrie::find(std::string_view key) const {
  if (key.empty()) return kNone;
  std::uint32_t node = 0;
  for (const char c : key) {
    node = child(node, c);
    if (node == kNone) return kNone;
  }
  return units_[node].value;
}

}  // namespace mortise::unigram
