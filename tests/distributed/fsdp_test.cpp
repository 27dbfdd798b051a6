#include <limits>

#include "tests/distributed/against_plain_loop.hpp"

namespace mortise::tests {
namespace {

std::vector<TrainingCase> cases() {
  const auto dropout = [](TrainingCase& c) { c.shape.dropout = 0.1, c.recompute = true; };
  return {
      named("tied, uneven shards"),
      named("own head", [](TrainingCase& c) { c.shape.tied = false; }),
      named("odd widths, empty shards", [](TrainingCase& c) { c.shape = odd_shape(); }),
      named("a parameter of one element, a frozen one",
            [](TrainingCase& c) { c.shape = odd_shape(), c.shape.frozen_bias = true; }),
      named("recomputation with dropout", dropout),
      named("dropout without recomputation", [](TrainingCase& c) { c.shape.dropout = 0.1; }),
      named("no reshard", [](TrainingCase& c) { c.reshard = false; }),
      named("no prefetch", [](TrainingCase& c) { c.prefetch = false; }),
      named("accumulation 3 with dropout, recomputation, no reshard",
            [&](TrainingCase& c) {
              dropout(c), c.micro_batches = 12, c.reshard = false, c.steps = 8;
            }),
      named("ranks without a micro-batch", [](TrainingCase& c) { c.micro_batches = 5; }),
      named("active clipping", [](TrainingCase& c) { c.clip_norm = 0.05; }),
      named("clipping by the largest gradient",
            [](TrainingCase& c) {
              c.clip_norm = 0.01, c.norm = std::numeric_limits<double>::infinity();
            }),
      named("delays before callbacks",
            [&](TrainingCase& c) { dropout(c), c.delays = true, c.steps = 6; }),
      named("ddp", [](TrainingCase& c) { c.owner = "ddp"; }),
      named("ddp, own head, accumulation, clipping",
            [](TrainingCase& c) {
              c.owner = "ddp", c.shape.tied = false, c.clip_norm = 0.05, c.micro_batches = 5;
            }),
  };
}

}  // namespace

TEST_CASE("fsdp and ddp: 2 ranks equal a plain loop bitwise") {
  for (const TrainingCase& c : cases())
    for (const bool crossed : {false, true}) check_on_ranks(c, 2, crossed);
}

TEST_CASE("fsdp and ddp: 2 ranks equal a plain loop bitwise over gloo, too") {
  for (TrainingCase c : cases()) {
    c.communicator = "gloo";
    check_on_ranks(c, 2, true);
  }
}

TEST_CASE("fsdp and ddp: 4 ranks equal a plain loop bitwise") {
  for (const TrainingCase& c : cases()) check_on_ranks(c, 4, true);
}

TEST_CASE("fsdp: 3 ranks and 1 rank equal a plain loop bitwise") {
  for (const TrainingCase& c : {cases()[0], cases()[2], cases()[5]})
    for (const int size : {1, 3}) check_on_ranks(c, size, true);
}

TEST_CASE("fsdp and ddp: one reduction a step equals a loop that sums rank by rank") {
  for (const char* owner : {"fsdp", "ddp"})
    for (const int size : {2, 4})
      for (const std::int64_t micro_batches : {4, 6}) {
        TrainingCase c = named("reduction: step", [&](TrainingCase& t) {
          t.owner = owner, t.by_micro_batch = false, t.micro_batches = micro_batches,
          t.clip_norm = 0.05;
        });
        c.ranks_of_reference = size;
        check_on_ranks(c, size, true);
      }
}

// Two numbers have one sum, in whatever order.
TEST_CASE("fsdp: a communicator's own reduce-scatter is used where the order is left open") {
  struct Row {
    bool by_micro_batch, ordered;
    const char *used, *unused;
  };
  for (const Row& row : {Row{false, false, "reduce_scatter", "reduce_scatter_ordered"},
                         Row{false, true, "reduce_scatter_ordered", "reduce_scatter"},
                         Row{true, false, "reduce_scatter_ordered", "reduce_scatter"}}) {
    CAPTURE(std::string(row.used));
    const TemporaryFolder folder;
    const std::vector<int> codes = run_forked(2, [&](int rank) {
      at::set_num_threads(1);
      Seen seen;
      seen.capability = "native_reduce_scatter";
      TrainingCase c = named("native sums", [&](TrainingCase& t) {
        t.by_micro_batch = row.by_micro_batch, t.ordered = row.ordered, t.seen = &seen;
        t.ranks_of_reference = row.by_micro_batch ? 1 : 2;
      });
      const TrainingResult mine = train_through_engine(c, rank, 2, true, folder.path() / "store");
      const auto count = [&](const char* operation) {
        return std::count_if(seen.collectives.begin(), seen.collectives.end(),
                             [&](const auto& s) { return s.operation == operation; });
      };
      if (count(row.used) == 0 || count(row.unused) != 0)
        throw std::runtime_error("sums went through another call");
      if (rank == 0 && differing(train_plainly(c).parameters, mine.parameters) != 0)
        throw std::runtime_error("parameters differ");
    });
    CHECK(codes == std::vector<int>{0, 0});
  }
}

TEST_CASE("unit walk: one micro-batch equals one backward() over the whole graph bitwise") {
  for (const bool tied : {true, false}) {
    const TrainingCase c = named("walk", [&](TrainingCase& t) {
      t.shape.tied = tied, t.micro_batches = 1, t.steps = 1, t.shape.dropout = 0.1;
    });
    const Batch batch = small_batch(c.shape, c.sequences, c.length, 0, 0);
    const double tokens = double(PlainCrossEntropy().counts(batch).item<std::int64_t>());
    const auto [loss, gradients] = whole_graph_gradients(c.shape, batch, 1 / tokens);
    const TrainingResult walked = train_through_engine(c, 0, 1, false, {});
    CHECK(walked.losses[0] == loss);
    REQUIRE(gradients.size() == walked.gradients.size());
    for (std::size_t i = 0; i != gradients.size(); ++i) {
      CAPTURE(i);
      CHECK(differing({gradients[i]}, {walked.gradients[i]}) == 0);
    }
  }
}

}  // namespace mortise::tests
