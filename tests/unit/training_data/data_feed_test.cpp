// What is read ahead is what was asked for, and what fails is told at its step.

#include "host/training/data_feed.hpp"

#include <atomic>
#include <chrono>

#include "tests/doctest_with_torch.hpp"
#include "tests/unit/training_data/made_up_set.hpp"

namespace mortise::tests {
namespace {

class Stored final : public SampleOrder {
 public:
  std::vector<std::int64_t> indices(const OrderRequest& r) const override {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i != r.count; ++i) all.push_back((r.first + i) % r.samples);
    return all;
  }
};

Sample numbered(std::int64_t index) { return {{integers("tokens", {index, index + 1})}}; }

constexpr std::int64_t kSteps = 20, kSequences = 5;

host::Horizon horizon() {
  host::RunSettings settings;
  settings.steps = kSteps;
  settings.sequences = kSequences;
  settings.sequence_length = 1;
  return {settings, 13};
}

// The first token of every sequence, row by row.
std::vector<std::int64_t> firsts(const host::Rounds& rounds) {
  std::vector<std::int64_t> all;
  for (const auto& batch : rounds)
    for (std::int64_t i = 0; batch && i != (*batch)["tokens"].size(0); ++i)
      all.push_back((*batch)["tokens"][i][0].item<std::int64_t>());
  return all;
}

std::vector<std::int64_t> expected(std::int64_t step) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i != kSequences; ++i) all.push_back((step * kSequences + i) % 13);
  return all;
}

}  // namespace

TEST_CASE("data feed: every step has its samples, in order, after a jump and from the middle") {
  const MadeUpSet set(13, numbered);
  Stored order;
  const host::Horizon h = horizon();
  host::DataFeed feed({set, order, {kSequences, 2, 0, 1}, {1, 99, false}, h});
  feed.start(3);
  for (const std::int64_t step : {3, 4, 5, 9, 10, 2, 3, 18, 19}) {
    CAPTURE(step);
    const host::Rounds rounds = feed.next(step);
    CHECK(rounds.size() == 3);
    CHECK(firsts(rounds) == expected(step));
  }
}

TEST_CASE("data feed: reads some steps ahead, none after the last, and stops when it is left") {
  std::atomic<std::int64_t> reads = 0;
  const MadeUpSet set(13, [&](std::int64_t i) {
    ++reads;
    return numbered(i);
  });
  Stored order;
  const host::Horizon h = horizon();
  {
    host::DataFeed feed({set, order, {kSequences, 5, 0, 1}, {1, 99, false}, h});
    feed.start(0);
    CHECK(firsts(feed.next(0)) == expected(0));
  }
  CHECK(reads < kSteps * kSequences);
  reads = 0;
  {
    host::DataFeed feed({set, order, {kSequences, 5, 0, 1}, {1, 99, false}, h});
    for (std::int64_t step = 0; step != kSteps; ++step) feed.next(step);
  }
  CHECK(reads == kSteps * kSequences);
}

TEST_CASE("data feed: what fails while reading ahead is told at its step, with its place") {
  const MadeUpSet set(13, [](std::int64_t i) {
    if (i == 12) throw DataError("made.up, sample 12 is broken");
    return numbered(i);
  });
  Stored order;
  const host::Horizon h = horizon();
  host::DataFeed feed({set, order, {kSequences, 2, 0, 1}, {1, 99, false}, h});
  feed.start(0);
  CHECK(firsts(feed.next(0)) == expected(0));
  CHECK(firsts(feed.next(1)) == expected(1));  // 12 is in the next one
  for (int again = 0; again != 2; ++again)
    CHECK_THROWS_WITH_AS(feed.next(2), doctest::Contains("sample 12 is broken"), DataError);
}

TEST_CASE("data feed: ranks share the micro-batches of a step between them") {
  const MadeUpSet set(13, numbered);
  Stored order;
  const host::Horizon h = horizon();
  std::vector<std::int64_t> by_micro_batch(std::size_t(kSequences), -1);
  for (std::int64_t rank = 0; rank != 2; ++rank) {
    host::DataFeed feed({set, order, {kSequences, 1, rank, 2}, {1, 99, false}, h});
    const host::Rounds rounds = feed.next(1);
    REQUIRE(rounds.size() == 3);
    for (std::size_t r = 0; r != 3; ++r)
      if (rounds[r]) by_micro_batch[r * 2 + std::size_t(rank)] = firsts({rounds[r]})[0];
  }
  CHECK(by_micro_batch == expected(1));
}

}  // namespace mortise::tests
