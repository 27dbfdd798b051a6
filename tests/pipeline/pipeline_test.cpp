// Training over stages: bits, and how much of a step stays alive.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "tests/distributed/against_plain_loop.hpp"

namespace mortise::tests {
namespace {

TrainingCase staged(std::int64_t stages, const char* schedule) {
  TrainingCase c;
  c.mesh = {{"pp", stages}};
  c.strategies = {{"pipeline", "pipeline", schedule}};
  c.steps = 4, c.clip_norm = 0.05;
  return c;
}

void check_on_ranks(const TrainingCase& c,
                    const std::function<void(int rank, const TrainingResult&)>& require) {
  int size = 1;
  for (const auto& [axis, ranks] : c.mesh) size *= int(ranks);
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(size, [&](int rank) {
    at::set_num_threads(1);
    require(rank, train_through_engine(c, rank, size, true, folder.path() / "store"));
  });
  CHECK(codes == std::vector<int>(std::size_t(size), 0));
}

void check_bitwise(const TrainingCase& c) {
  int size = 1;
  for (const auto& [axis, ranks] : c.mesh) size *= int(ranks);
  check_on_ranks(c, size, true);
}

// Multiplies what one layer of a stage makes by ones that tell when the graph lets go of them.
class Counted final : public LayerOp {
 public:
  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>&) override {
    if (layer.name != "block.0.down" && layer.name != "block.2.down") return std::nullopt;
    return Link{};
  }
  TensorList apply(LayerId, Tensors inputs, Tensors weights, Tensors, OpCall& next) override {
    const at::Tensor out = next.next(inputs, weights)[0];
    if (next.visit().phase != Phase::forward) return {out};
    most = std::max(most, ++alive);
    static float one = 1;
    return {out * at::from_blob(
                      &one, {1}, [this](void*) { --alive; }, at::kFloat)};
  }
  int alive = 0, most = 0;
};

}  // namespace

TEST_CASE("pipeline: 2 stages of listed units, tied or not, with 1f1b and gpipe: bitwise") {
  for (const char* schedule : {"1f1b", "gpipe"})
    for (const bool tied : {true, false}) {
      TrainingCase c = staged(2, schedule);
      c.name = std::string(schedule) + (tied ? ", tied" : ", untied");
      c.shape.tied = tied, c.owner = tied ? "fsdp" : "ddp";
      c.strategies[0].split = {"block.2"};
      c.micro_batches = 5;
      check_bitwise(c);
    }
}

TEST_CASE("pipeline: 4 stages by cost, and 2 stages of 2 sharding ranks, with delays: bitwise") {
  TrainingCase four = staged(4, "1f1b");
  four.name = "pp 4", four.delays = true, four.shape.dropout = 0.1;
  check_bitwise(four);
  TrainingCase sharded = staged(2, "1f1b");
  sharded.name = "pp 2 x dp 2", sharded.delays = true, sharded.recompute = true;
  sharded.mesh.emplace_back("dp", 2), sharded.micro_batches = 7;
  check_bitwise(sharded);
}

TEST_CASE("pipeline: 1f1b keeps at most as many micro-batches as stages, gpipe the whole step") {
  for (const char* schedule : {"1f1b", "gpipe"})
    for (const int stages : {2, 3}) {
      TrainingCase c = staged(stages, schedule);
      c.strategies[0].split = stages == 2 ? std::vector<std::string>{"block.2"}
                                          : std::vector<std::string>{"block.1", "block.2"};
      c.micro_batches = 7;
      Counted counted;
      c.link = &counted;
      const bool whole = std::string(schedule) == "gpipe";
      check_on_ranks(c, [&](int rank, const TrainingResult&) {
        if (stages == 3 && rank == 1) return;  // has none of the counted layers
        const int expected = whole ? 7 : stages - rank;
        if (counted.most != expected || counted.alive != 0)
          throw std::runtime_error(std::string(schedule) + ": " + std::to_string(counted.most) +
                                   " were alive, expected " + std::to_string(expected) + "; " +
                                   std::to_string(counted.alive) + " are left");
      });
    }
}

}  // namespace mortise::tests
