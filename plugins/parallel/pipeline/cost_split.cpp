#include "cost_split.hpp"

#include <algorithm>
#include <limits>

namespace mortise_pipeline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The best way to cut every prefix of the chain into 1, 2, … runs.
class Cuts {
 public:
  // add(total, run): the total of a cut that a run of this cost is added to; `total` is 0 for none.
  template <class Add>
  Cuts(const std::vector<double>& ends, std::int64_t runs, const Add& add) {
    const auto units = std::int64_t(ends.size()) - 1;
    std::vector<double> before(ends.size(), kNever);
    before[0] = 0;
    for (std::int64_t r = 0; r != runs; ++r) {
      std::vector<double> now(ends.size(), kNever);
      first_.emplace_back(ends.size(), 0);
      for (std::int64_t end = r + 1; end <= units; ++end)
        for (std::int64_t first = r; first != end; ++first) {
          const double run = ends[std::size_t(end)] - ends[std::size_t(first)];
          const double total = add(before[std::size_t(first)], run);
          if (total >= now[std::size_t(end)]) continue;
          now[std::size_t(end)] = total;
          first_.back()[std::size_t(end)] = first;
        }
      before = std::move(now);
    }
    total_ = before.back();
  }
  double total() const { return total_; }
  // The first unit of each run.
  std::vector<std::int64_t> firsts() const {
    std::vector<std::int64_t> all(first_.size());
    auto end = std::int64_t(first_.back().size()) - 1;
    for (std::size_t r = all.size(); r-- != 0;) end = all[r] = first_[r][std::size_t(end)];
    return all;
  }

 private:
  std::vector<std::vector<std::int64_t>> first_;  // of the last run, by runs and end
  double total_ = 0;
};

}  // namespace

std::vector<std::int64_t> split_by_cost(const std::vector<double>& costs, std::int64_t stages) {
  std::vector<double> ends{0};
  for (const double cost : costs) ends.push_back(ends.back() + cost);
  const Cuts dearest(ends, stages, [](double total, double run) { return std::max(total, run); });
  const Cuts even(ends, stages, [&](double total, double run) {
    return run > dearest.total() ? kNever : total + run * run;
  });
  return even.firsts();
}

}  // namespace mortise_pipeline
