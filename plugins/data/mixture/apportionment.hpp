#pragma once

// Deals positions out to shares so that every stretch has its proportions, not only the whole.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mortise::mixture {

// Position p belongs to one share, a function of p and the weights alone. Shares are joined two by
// two, the lightest first (as Huffman does for codes); of n positions of a pair the heavier side
// gets its part, rounded to the nearest. So any stretch of positions has of each share what its
// weight says, give or take less than two, and any position is found without those before it.
class Apportionment {
 public:
  // A weight of 0 gets nothing; at least one is above.
  explicit Apportionment(const std::vector<double>& weights);

  struct Turn {
    std::size_t share;
    std::int64_t number;  // how many of the share's positions stand before
  };
  Turn at(std::int64_t position) const;
  // How many of the first `positions` belong to each share.
  std::vector<std::int64_t> counts(std::int64_t positions) const;

 private:
  struct Node {
    std::int64_t weight;  // in parts of 2^52 of all
    std::size_t share;    // of a leaf
    std::size_t heavier = kNone, lighter = kNone;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  void join();
  std::int64_t of_heavier(const Node& pair, std::int64_t positions) const;
  void count(std::size_t node, std::int64_t positions, std::vector<std::int64_t>& counts) const;

  std::size_t shares_;
  std::vector<Node> nodes_;  // the last is the root
};

}  // namespace mortise::mixture
