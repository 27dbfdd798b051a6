#pragma once

// What every SampleOrder owes its caller, whatever its order.

#include <mortise/data/sample_order.hpp>
#include <mortise/random.hpp>

#include "../at_once.hpp"
#include "../both_ways.hpp"

namespace mortise::conformance {
namespace sample_order {

using Indices = std::vector<std::int64_t>;

// Below and above the sizes at which an order may change its method.
inline constexpr std::int64_t kSizes[] = {1, 2, 3, 17, 1000, 65535, 65536, 70001};

inline bool is_permutation(Indices indices, std::int64_t samples) {
  if (std::int64_t(indices.size()) != samples) return false;
  std::sort(indices.begin(), indices.end());
  for (std::int64_t i = 0; i != samples; ++i)
    if (indices[std::size_t(i)] != i) return false;
  return true;
}

inline void check_epochs(const SampleOrder& order, Report& report) {
  for (const std::int64_t samples : kSizes)
    for (const std::int64_t epoch : {0, 1, 2, 1000003})
      report.expect(is_permutation(order.indices({epoch * samples, samples, samples}), samples),
                    "indices: an epoch of " + std::to_string(samples) + " is a permutation");
}

// Parts of any size, across the ends of epochs, in any order of asking.
inline void check_splits(const SampleOrder& order, Report& report) {
  for (const std::int64_t samples : {1, 7, 1000, 70001}) {
    const std::int64_t first = samples / 3, count = std::min<std::int64_t>(2 * samples + 5, 3000);
    const Indices whole = order.indices({first, count, samples});
    report.expect(std::int64_t(whole.size()) == count, "indices: as many as were asked for");
    report.expect(order.indices({first, count, samples}) == whole,
                  "indices: the same answer every time");
    std::vector<std::pair<std::int64_t, Indices>> parts;
    for (std::int64_t at = 0, i = 0; at != count; ++i) {
      const auto wish = std::int64_t(random::bits(7, std::uint64_t(i)) % 97 + 1);
      const std::int64_t n = std::min(wish, count - at);
      parts.emplace_back(first + at, Indices(whole.begin() + at, whole.begin() + at + n));
      at += n;
    }
    for (auto p = parts.rbegin(); p != parts.rend(); ++p)
      report.expect(order.indices({p->first, std::int64_t(p->second.size()), samples}) == p->second,
                    "indices: any split of a request gives the same");
  }
}

// An order of every stream, each a permutation; an order may give all of them the same.
inline void check_streams(const SampleOrder& order, Report& report) {
  for (const std::int64_t stream : {std::int64_t(1), std::int64_t(1) << 62}) {
    const OrderRequest request{2000, 1000, 1000, stream};
    const Indices epoch = order.indices(request);
    report.expect(is_permutation(epoch, 1000), "indices: an epoch of a stream is a permutation");
    order.indices({2000, 1000, 1000, 7});
    report.expect(order.indices(request) == epoch, "indices: streams do not disturb each other");
  }
}

inline void check_refusals(const SampleOrder& order, Report& report) {
  for (const OrderRequest& bad :
       {OrderRequest{-1, 1, 4}, OrderRequest{0, 0, 4}, OrderRequest{0, -1, 4},
        OrderRequest{0, 1, 0}, OrderRequest{0, 1, -4}})
    report.expect_refusal(ErrorCode::bad_argument, "",
                          "indices: refuses a negative or empty request",
                          [&] { order.indices(bad); });
}

inline void check_at_once(const SampleOrder& order, Report& report) {
  std::vector<Indices> expected;
  for (std::int64_t epoch = 0; epoch != 4; ++epoch)
    expected.push_back(order.indices({epoch * 500 + 250, 500, 500}));
  std::array<bool, 4> same{};
  run_at_once(4, [&](int thread) {
    bool all = true;
    for (std::int64_t i = 0; i != 40; ++i) {
      const std::int64_t epoch = (i + thread) % 4;
      all = all && order.indices({epoch * 500 + 250, 500, 500}) == expected[std::size_t(epoch)];
    }
    same[std::size_t(thread)] = all;
  });
  report.expect(same == std::array<bool, 4>{true, true, true, true},
                "indices: any thread may call, at the same time as others");
}

}  // namespace sample_order

inline void check_sample_order_contract(const SampleOrder& order, Report& report) {
  report.section("epochs", [&] { sample_order::check_epochs(order, report); });
  report.section("splits", [&] { sample_order::check_splits(order, report); });
  report.section("streams", [&] { sample_order::check_streams(order, report); });
  report.section("refusals", [&] { sample_order::check_refusals(order, report); });
  report.section("threads", [&] { sample_order::check_at_once(order, report); });
}

}  // namespace mortise::conformance
