// How fsdp groups units, and which ranks it talks to.

#include <fstream>

#include "tests/distributed/against_plain_loop.hpp"

namespace mortise::tests {
namespace {

const std::vector<std::pair<std::string, std::int64_t>> kReplicas = {{"dp_replicate", 2},
                                                                     {"dp", 2}};

// Of the collectives of one rank: how many, and their bytes.
std::pair<int, std::int64_t> total(const Seen& seen, const std::string& axes,
                                   const std::string& operation) {
  std::pair<int, std::int64_t> sum;
  for (const Seen::Collective& c : seen.collectives)
    if (c.axes == axes && c.operation == operation) ++sum.first, sum.second += c.bytes;
  return sum;
}

// What the first of 4 ranks was seen to do in one step of 4 micro-batches.
Seen seen_on_replicas(TrainingCase c) {
  const TemporaryFolder folder;
  Seen seen;
  c.mesh = kReplicas, c.steps = 1;
  const auto file = folder.path() / "seen";
  const std::vector<int> codes = run_forked(4, [&](int rank) {
    Seen mine;
    c.seen = &mine;
    train_through_engine(c, rank, 4, true, folder.path() / "store");
    if (rank != 0) return;
    std::ofstream out(file);
    for (const Seen::Collective& s : mine.collectives)
      out << s.axes << ' ' << s.operation << ' ' << s.bytes << '\n';
  });
  for (const int code : codes) CHECK(code == 0);
  std::ifstream in(file);
  for (Seen::Collective s; in >> s.axes >> s.operation >> s.bytes;)
    seen.collectives.push_back(std::move(s));
  return seen;
}

// How many gathers rank 0 of 2 on dp had started when each visit began.
std::vector<int> gathers_by_visit(TrainingCase c, int ranks) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "counts";
  const std::vector<int> codes = run_forked(ranks, [&](int rank) {
    Seen seen;
    std::vector<int> counts;
    seen.look = [&](const Visit&) { counts.push_back(total(seen, "dp,", "all_gather").first); };
    c.seen = &seen;
    train_through_engine(c, rank, ranks, true, folder.path() / "store");
    if (rank != 0) return;
    std::ofstream out(file);
    for (const int n : counts) out << n << '\n';
  });
  for (const int code : codes) CHECK(code == 0);
  std::vector<int> counts;
  std::ifstream in(file);
  for (int n = 0; in >> n;) counts.push_back(n);
  return counts;
}

}  // namespace

TEST_CASE("groups: several units in one equal a plain loop bitwise") {
  for (const std::int64_t units : {2, 3, 100})
    for (const bool tied : {true, false})
      check_on_ranks(named(std::to_string(units) + " units in a group",
                           [&](TrainingCase& c) {
                             c.units_per_group = units, c.shape.tied = tied, c.steps = 5;
                             c.reshard = units != 3, c.micro_batches = 6;
                           }),
                     2, true);
  TrainingCase c = named("stages of several units", [](TrainingCase& t) {
    t.units_per_group = 2, t.steps = 4, t.mesh = {{"pp", 2}, {"dp", 2}};
    t.strategies = {{"probe_zero_bubble", "zero_bubble", "zb_h1"}}, t.micro_batches = 7;
  });
  check_on_ranks(c, 4, true);
  c.owner = "ddp", c.clip_norm = 0.05;
  check_on_ranks(c, 4, true);
  c = named("several units, one reduction a step", [](TrainingCase& t) {
    t.units_per_group = 2, t.by_micro_batch = false, t.ranks_of_reference = 2, t.steps = 4;
    t.micro_batches = 6;
  });
  check_on_ranks(c, 2, true);
}

TEST_CASE("groups: a parameter whose rows divide is gathered and reduced in place, bitwise") {
  for (const bool tied : {true, false})
    for (const bool narrow : {true, false})
      check_on_ranks(named("even embedding",
                           [&](TrainingCase& c) {
                             c.shape.vocabulary = 64, c.shape.width = 32, c.shape.heads = 4;
                             c.shape.tied = tied, c.bfloat16 = narrow, c.steps = 4;
                             c.micro_batches = 6;
                           }),
                     2, true);
}

TEST_CASE("groups: what the schedule visits next is gathered one visit ahead") {
  const auto check = [](const std::string& schedule, bool reshard) {
    TrainingCase c = named("prefetch " + schedule, [&](TrainingCase& t) {
      t.reshard = reshard, t.steps = 1, t.evaluates = false, t.micro_batches = 8;
      if (schedule.empty()) return;
      t.strategies = {{"probe_zero_bubble", "zero_bubble", schedule}};
      t.mesh = {{"pp", 2}, {"dp", 2}};
    });
    CAPTURE(c.name);
    const int ranks = schedule.empty() ? 2 : 4;
    const std::vector<int> ahead = gathers_by_visit(c, ranks);
    c.prefetch = false;
    const std::vector<int> in_time = gathers_by_visit(c, ranks);
    REQUIRE(ahead.size() == in_time.size());
    REQUIRE(in_time.size() > 8);
    CHECK(in_time.back() > 0);
    for (std::size_t i = 1; i + 1 < ahead.size(); ++i) {
      CAPTURE(i);
      CHECK(ahead[i] == in_time[i + 1]);
    }
  };
  check("", true);
  check("", false);
  check("1f1b", true);
}

TEST_CASE("replicas: shards of 2 ranks, twice, equal a plain loop bitwise") {
  const auto replicas = [](const std::string& name, const auto& change) {
    TrainingCase c = named("replicas, " + name, change);
    c.mesh = kReplicas, c.steps = 4;
    return c;
  };
  check_on_ranks(
      replicas("no reshard, accumulation, clipping",
               [](TrainingCase& c) { c.reshard = false, c.micro_batches = 9, c.clip_norm = 0.05; }),
      4, true);
  check_on_ranks(replicas("two units in a group, empty shards",
                          [](TrainingCase& c) { c.units_per_group = 2, c.shape = odd_shape(); }),
                 4, true);
  check_on_ranks(replicas("one reduction a step",
                          [](TrainingCase& c) {
                            c.by_micro_batch = false, c.micro_batches = 8, c.ranks_of_reference = 4;
                          }),
                 4, true);
  check_on_ranks(
      replicas("ddp, accumulation", [](TrainingCase& c) { c.owner = "ddp", c.micro_batches = 9; }),
      4, true);
}

TEST_CASE("replicas: parameters are gathered inside dp, gradients summed over all") {
  TrainingCase c = named("seen");
  c.evaluates = false;
  const Seen one = seen_on_replicas(c);
  const auto [gathers, gathered] = total(one, "dp,", "all_gather");
  const auto [reductions, reduced] = total(one, "dp_replicate,dp,", "reduce_scatter_ordered");
  // Embedding and head are tied: gathered once. Blocks are gathered in both directions, but the
  // last unit stays. One micro-batch on each rank.
  CHECK(gathers == 1 + 2 * 3 + 1);
  CHECK(reductions == 2 + 3 + 1);
  CHECK(total(one, "dp,", "reduce_scatter_ordered").first == 0);
  // Beyond dp only norms and losses are gathered.
  CHECK(total(one, "dp_replicate,dp,", "all_gather").second <= 64);

  c.units_per_group = 100;
  const Seen together = seen_on_replicas(c);
  CHECK(total(together, "dp,", "all_gather").first == 2);
  CHECK(total(together, "dp_replicate,dp,", "reduce_scatter_ordered").first == 3);

  c.units_per_group = 1, c.bfloat16 = true;
  const Seen narrow = seen_on_replicas(c);
  CHECK((total(narrow, "dp,", "all_gather") == std::pair(gathers, gathered / 2)));
  CHECK((total(narrow, "dp_replicate,dp,", "reduce_scatter_ordered") ==
         std::pair(reductions, reduced)));
}

}  // namespace mortise::tests
