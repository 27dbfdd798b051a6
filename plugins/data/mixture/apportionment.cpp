#include "apportionment.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

namespace mortise::mixture {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kParts = 4503599627370496.0;  // 2^52

}  // namespace

Apportionment::Apportionment(const std::vector<double>& weights) : shares_(weights.size()) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i != weights.size(); ++i)
    if (weights[i] > 0)
      nodes_.push_back({std::max<std::int64_t>(1, std::llround(weights[i] / all * kParts)), i});
  join();
}

void Apportionment::join() {
  using Entry = std::pair<std::int64_t, std::size_t>;  // weight, node
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (std::size_t i = 0; i != nodes_.size(); ++i) open.emplace(nodes_[i].weight, i);
  while (open.size() > 1) {
    const Entry lighter = open.top();
    open.pop();
    const Entry heavier = open.top();
    open.pop();
    nodes_.push_back({lighter.first + heavier.first, 0, heavier.second, lighter.second});
    open.emplace(nodes_.back().weight, nodes_.size() - 1);
  }
}

std::int64_t Apportionment::of_heavier(const Node& pair, std::int64_t positions) const {
  const auto whole = Wide(pair.weight), part = Wide(nodes_[pair.heavier].weight);
  return std::int64_t((2 * Wide(positions) * part + whole) / (2 * whole));
}

Apportionment::Turn Apportionment::at(std::int64_t position) const {
  std::size_t here = nodes_.size() - 1;
  while (nodes_[here].heavier != kNone) {
    const Node& pair = nodes_[here];
    const std::int64_t before = of_heavier(pair, position);
    const bool takes = of_heavier(pair, position + 1) > before;
    here = takes ? pair.heavier : pair.lighter;
    position = takes ? before : position - before;
  }
  return {nodes_[here].share, position};
}

std::vector<std::int64_t> Apportionment::counts(std::int64_t positions) const {
  std::vector<std::int64_t> all(shares_);
  count(nodes_.size() - 1, positions, all);
  return all;
}

void Apportionment::count(std::size_t node, std::int64_t positions,
                          std::vector<std::int64_t>& counts) const {
  const Node& here = nodes_[node];
  if (here.heavier == kNone) return void(counts[here.share] = positions);
  const std::int64_t heavier = of_heavier(here, positions);
  count(here.heavier, heavier, counts);
  count(here.lighter, positions - heavier, counts);
}

}  // namespace mortise::mixture
