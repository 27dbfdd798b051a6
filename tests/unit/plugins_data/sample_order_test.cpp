// Sample orders as users get them.

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <mortise/data/sample_order.hpp>
#include <thread>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::OrderRequest;
using mortise::SampleOrder;
using Indices = std::vector<std::int64_t>;

LoadedComponent order_of(std::uint64_t seed) {
  return LoadedComponent("keyed_permutation", "keyed_permutation", {}, {.seed = seed});
}

// What every SampleOrder owes its caller.
void check_sample_order_contract(const SampleOrder& order) {
  for (const std::int64_t n : {1, 2, 3, 7, 300, 70000}) {
    CAPTURE(n);
    const std::int64_t first = n / 2, count = 2 * n;
    const Indices whole = order.indices({first, count, n});
    REQUIRE(whole.size() == std::size_t(count));
    Indices parts;
    for (std::int64_t at = first, size = 1; at != first + count; size = size * 3 + 1) {
      const std::int64_t take = std::min(size, first + count - at);
      const Indices part = order.indices({at, take, n});
      parts.insert(parts.end(), part.begin(), part.end());
      at += take;
    }
    CHECK(parts == whole);
    Indices epoch = order.indices({n, n, n});  // the second
    std::sort(epoch.begin(), epoch.end());
    for (std::int64_t i = 0; i != n; ++i) REQUIRE(epoch[std::size_t(i)] == i);
  }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const OrderRequest& bad :
       {OrderRequest{-1, 1, 1}, OrderRequest{0, 0, 1}, OrderRequest{0, -1, 1},
        OrderRequest{0, 1, 0}, OrderRequest{most, 1, 5}})
    CHECK(contains(message_of<mortise::Error>([&] { order.indices(bad); }), "at least"));
  CHECK(order.indices({(std::int64_t(1) << 40) + 5, 3, 1000003}).size() == 3);
}

}  // namespace

TEST_CASE("keyed_permutation: keeps the contract of sample orders") {
  const LoadedComponent order = order_of(1);
  check_sample_order_contract(order.as<SampleOrder>());
}

TEST_CASE("sequential: keeps the contract and counts up in every epoch") {
  const LoadedComponent order("sequential", "sequential");
  check_sample_order_contract(order.as<SampleOrder>());
  CHECK(order.as<SampleOrder>().indices({3, 6, 5}) == Indices{3, 4, 0, 1, 2, 3});
}

TEST_CASE("keyed_permutation: epochs and seeds give other orders, and the same ones for ever") {
  const LoadedComponent order = order_of(1337), other = order_of(1338);
  const auto first = order.as<SampleOrder>().indices({0, 8, 8});
  CHECK(first != order.as<SampleOrder>().indices({8, 8, 8}));
  CHECK(first != other.as<SampleOrder>().indices({0, 8, 8}));
  // A change of these numbers changes the data of every run that is resumed.
  CHECK(first == Indices{1, 7, 3, 4, 2, 6, 5, 0});
  CHECK(order.as<SampleOrder>().indices({0, 4, 1000003}) ==
        Indices{748272, 268330, 162161, 903954});
}

TEST_CASE("keyed_permutation: threads that ask for different epochs do not disturb each other") {
  const LoadedComponent order = order_of(7);
  std::vector<Indices> expected, got(8);
  for (std::int64_t epoch = 0; epoch != 4; ++epoch)
    expected.push_back(order.as<SampleOrder>().indices({epoch * 5000, 5000, 5000}));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t != got.size(); ++t)
    threads.emplace_back([&, t] {
      for (int again = 0; again != 20; ++again)
        got[t] = order.as<SampleOrder>().indices({std::int64_t(t % 4) * 5000, 5000, 5000});
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t != got.size(); ++t) CHECK(got[t] == expected[t % 4]);
}
