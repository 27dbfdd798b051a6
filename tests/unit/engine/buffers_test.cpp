// Buffers: what becomes of the updates of a step, on any number of ranks.

#include "host/engine/buffers.hpp"

#include <ATen/ATen.h>

#include "host/distributed/mesh.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/training/forked_ranks.hpp"

namespace mortise::tests {
namespace {

using host::Buffers;

class Listing final : public Model {
 public:
  std::vector<ParameterInfo> parameters() const override {
    return {ParameterInfo{.name = "weight", .shape = {2}, .units = {0}}};
  }
  std::vector<Layer> layers() const override { return {}; }
  Names units() const override { return {"first", "second"}; }
  TensorList forward_unit(const Visit&, UnitContext&, Tensors, const Batch&) override { return {}; }
  std::vector<BufferInfo> buffers() const override { return all; }

  std::vector<BufferInfo> all = {
      {.name = "mean", .shape = {2}, .combine = Combine::mean, .initial = at::ones({2})},
      {.name = "count", .shape = {}, .dtype = DType::int64, .unit = 1},
      {.name = "max", .shape = {1, 2}, .combine = Combine::max}};
};

// What micro-batch k offers: nothing for k = 1; of `max` two offers, and none that is positive; of
// `mean` two for k = 3, which count twice.
std::vector<host::BufferUpdate> offers_of(const Buffers& buffers, std::int64_t k) {
  if (k == 1) return {};
  const double x = 0.1 * double(k + 1);
  std::vector<host::BufferUpdate> all = {
      {buffers.find("max", 0), at::full({1, 2}, -x)},
      {buffers.find("mean", 0), at::full({2}, x)},
      {buffers.find("count", 1), at::full({}, 10 + k, at::kLong)},
      {buffers.find("max", 0), at::full({1, 2}, -10 * x)}};
  if (k == 3) all.push_back({buffers.find("mean", 0), at::full({2}, 2 * x)});
  return all;
}

constexpr std::int64_t kMicroBatches = 5;

// The three values after a step of five micro-batches on `size` ranks, as this rank has them.
TensorList after_step(int rank, int size, const std::filesystem::path& store, float skip) {
  host::RankEnvironment ranks;
  ranks.rank = rank;
  ranks.size = size;
  const std::chrono::milliseconds timeout(60000);
  host::HostMesh mesh({{"dp", size}}, ranks,
                      size > 1 ? host::join_through_file(store.string(), size, timeout) : nullptr,
                      timeout);
  const auto group = mesh.communicator("dp");
  const host::LayerChains chains(Listing(), {});
  Buffers buffers(chains);
  const std::int64_t rounds = (kMicroBatches + size - 1) / size;
  for (std::int64_t k = rank; k < kMicroBatches; k += size)
    buffers.offer(k / size, offers_of(buffers, k));
  buffers.apply(*group, rounds, at::full({}, skip));
  const TensorList applied = buffers.values();
  buffers.apply(*group, rounds, at::zeros({}));  // nobody has offered anything
  for (std::size_t i = 0; i != applied.size(); ++i)
    if (!at::equal(applied[i], buffers.values()[i])) throw std::runtime_error("changed again");
  return applied;
}

}  // namespace

TEST_CASE("buffers: last, mean and max of a step are the same bits on all numbers of ranks") {
  double sum = double(float(0.8));
  for (const int k : {0, 2, 3, 4}) sum += double(float(0.1 * (k + 1)));
  const auto expected = float(sum / 5);
  for (const int size : {1, 2, 3, 4}) {
    CAPTURE(size);
    const TemporaryFolder folder;
    const auto codes = run_forked(size, [&](int rank) {
      const TensorList values = after_step(rank, size, folder.path() / "store", 0);
      const bool right = at::equal(values[0], at::full({2}, expected)) &&
                         at::equal(values[1], at::full({}, 14, at::kLong)) &&
                         at::equal(values[2], at::full({1, 2}, -0.1f));
      if (!right) throw std::runtime_error("rank has other values");
    });
    for (const int code : codes) CHECK(code == 0);
  }
}

TEST_CASE("buffers: a skipped step changes nothing") {
  const TensorList values = after_step(0, 1, {}, 1);
  CHECK(at::equal(values[0], at::ones({2})));
  CHECK(values[1].item<std::int64_t>() == 0);
  CHECK(at::equal(values[2], at::zeros({1, 2})));
}

TEST_CASE("buffers: names, units and shapes that are wrong are refused") {
  Listing model;
  Buffers buffers(host::LayerChains(model, {}));
  CHECK_THROWS_WITH(buffers.find("mean", 1),
                    "buffer mean belongs to unit 0, not to unit 1, which is visited");
  CHECK_THROWS_WITH(buffers.find("median", 0), "there is no buffer median");
  CHECK_THROWS_AS(buffers.offer(0, {{0, at::ones({3})}}), ShapeError);
  model.all[0].name = "weight";
  CHECK_THROWS_AS(Buffers(host::LayerChains(model, {})), ConfigError);
  model.all[0] = {.name = "mean", .shape = {2}, .initial = at::ones({3})};
  CHECK_THROWS_AS(Buffers(host::LayerChains(model, {})), ShapeError);
}

}  // namespace mortise::tests
