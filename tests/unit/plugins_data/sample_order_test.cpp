// Sample orders as users get them.

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <mortise/data/sample_order.hpp>
#include <set>
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

TEST_CASE("keyed_permutation: streams have orders of their own, each of every sample once") {
  const LoadedComponent order = order_of(1337);
  for (const std::int64_t n : {300, 70000}) {
    std::vector<Indices> streams;
    for (const std::int64_t stream : {0, 1, 2, 1}) {
      streams.push_back(order.as<SampleOrder>().indices({n, n, n, stream}));
      Indices sorted = streams.back();
      std::sort(sorted.begin(), sorted.end());
      for (std::int64_t i = 0; i != n; ++i) REQUIRE(sorted[std::size_t(i)] == i);
    }
    CHECK(streams[0] != streams[1]);
    CHECK(streams[1] != streams[2]);
    CHECK(streams[1] == streams[3]);
  }
}

namespace {

SettingList blocks(int block, int window) { return {{"block", block}, {"window", window}}; }

}  // namespace

TEST_CASE("block_permutation: keeps the contract of sample orders, whatever the blocks") {
  for (const auto& [block, window] : {std::pair(1, 1), std::pair(1, 64), std::pair(256, 64),
                                      std::pair(7, 3), std::pair(65536, 1), std::pair(1000, 1)}) {
    CAPTURE(block);
    CAPTURE(window);
    const LoadedComponent order("block_permutation", "block_permutation", blocks(block, window),
                                {.seed = 5});
    check_sample_order_contract(order.as<SampleOrder>());
  }
}

TEST_CASE("block_permutation: a stretch touches few blocks, and samples of a window are mixed") {
  constexpr std::int64_t kSamples = 100000, kBlock = 50, kWindow = 8;
  const LoadedComponent order("block_permutation", "block_permutation", blocks(kBlock, kWindow),
                              {.seed = 5});
  const auto all = order.as<SampleOrder>().indices({0, kSamples, kSamples});
  std::set<std::int64_t> blocks_of_first;
  for (std::int64_t at = 0; at != kSamples; at += kBlock * kWindow) {
    std::set<std::int64_t> touched;
    for (std::int64_t i = at; i != at + kBlock * kWindow; ++i)
      touched.insert(all[std::size_t(i)] / kBlock);
    REQUIRE(touched.size() == std::size_t(kWindow));
    blocks_of_first.insert(*touched.begin());
  }
  CHECK(blocks_of_first.size() == std::size_t(kSamples / kBlock / kWindow));
  std::int64_t neighbours = 0;
  for (std::size_t i = 1; i != all.size(); ++i) neighbours += all[i] == all[i - 1] + 1 ? 1 : 0;
  CHECK(neighbours < kSamples / 100);  // a window of 400 in random order has one
  const auto next = order.as<SampleOrder>().indices({kSamples, kSamples, kSamples});
  CHECK(next != all);
}

TEST_CASE("block_permutation: the same for ever, other for each seed, stream and epoch") {
  const LoadedComponent order("block_permutation", "block_permutation", blocks(2, 2),
                              {.seed = 1337}),
      other("block_permutation", "block_permutation", blocks(2, 2), {.seed = 1338});
  const auto first = order.as<SampleOrder>().indices({0, 9, 9});
  CHECK(first != other.as<SampleOrder>().indices({0, 9, 9}));
  CHECK(first != order.as<SampleOrder>().indices({9, 9, 9}));
  CHECK(first != order.as<SampleOrder>().indices({0, 9, 9, 4}));
  // A change of these numbers changes the data of every run that is resumed.
  CHECK(first == Indices{6, 1, 7, 0, 8, 3, 2, 5, 4});
}

TEST_CASE("block_permutation: windows that are too large are refused with the numbers") {
  const std::string message = message_of<mortise::Error>(
      [] { LoadedComponent("block_permutation", "block_permutation", blocks(65536, 2)); });
  CHECK(contains(message, "65536 samples are more than 65536"));
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
