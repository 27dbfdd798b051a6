// What any number of ranks wrote in any split is read by any other, bit for bit.

#include "host/checkpoint/checkpoint_reader.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/unit/checkpoint/saved_run.hpp"
#include "tests/unit/checkpoint/scratch_folder.hpp"

namespace mortise::tests {
namespace {

struct Global {
  std::string name;
  Shape shape;
  at::Tensor values;
};

const Shape kShapes[] = {{}, {1}, {5}, {257, 12}, {12, 257}, {0, 4}, {3, 1, 7}, {4, 3, 5, 2}};

std::vector<Global> random_globals(Random& random, const std::string& prefix, at::ScalarType type) {
  std::vector<Global> globals;
  for (const Shape& shape : kShapes)
    globals.push_back({prefix + std::to_string(globals.size()), shape,
                       random_bits(random, host::whole_box(shape).count(), type)});
  return globals;
}

// What each rank gives of these tensors, split at random.
void deal(Random& random, const std::vector<Global>& globals,
          const std::function<void(std::size_t, host::SavedTensor)>& give, std::int64_t ranks) {
  for (const Global& global : globals) {
    const Split split = random_split(random, global.shape, ranks);
    for (std::size_t rank = 0; rank != split.size(); ++rank)
      for (const Box& box : split[rank])
        give(rank, {global.name, global.shape, box, elements_of(global.values, global.shape, box)});
  }
}

std::filesystem::path save_all(const std::filesystem::path& checkpoints,
                               const std::vector<host::CheckpointContent>& contents) {
  std::vector<std::filesystem::path> folders(contents.size());
  const auto thrown = SimulatedRanks(contents.size()).run([&](const host::SavingRanks& ranks) {
    const auto rank = std::size_t(ranks.rank);
    host::CheckpointWriter writer(checkpoints, ranks, [](const std::string&) {});
    folders[rank] = writer.save(contents[rank], {{"rank", ranks.rank}});
  });
  for (const auto& each : thrown) CHECK(failure_from(each) == "none");
  return folders.front();
}

void check_read(Random& random, const host::Checkpoint& checkpoint, const Global& global) {
  const Split split = random_split(random, global.shape, pick(random, 1, 8));
  for (const auto& boxes : split)
    for (const Box& box : boxes) {
      const at::Tensor read = checkpoint.read(global.name, box);
      CHECK(read.numel() == box.count());
      CHECK(same_bits(read, elements_of(global.values, global.shape, box), box.count()));
    }
}

TEST_CASE("checkpoint: any split on 1 to 4 ranks is read by any other split, bit for bit") {
  const std::uint64_t seed = test_seed();
  MESSAGE("MORTISE_TEST_SEED=" << seed);
  Random random(seed);
  for (int round = 0; round != 60; ++round) {
    CAPTURE(round);
    const ScratchFolder scratch;
    const auto weights = random_globals(random, "weight.", at::kFloat);
    const auto slots = random_globals(random, "adamw.exp_avg/weight.", at::kFloat);
    const auto states = random_globals(random, "counter/", at::kLong);
    const std::int64_t ranks = pick(random, 1, 4);
    std::vector<host::CheckpointContent> contents(static_cast<std::size_t>(ranks), {round, {}, {}});
    const auto give_slot = [&](std::size_t rank, host::SavedTensor tensor) {
      contents[rank].optimizer.push_back(std::move(tensor));
    };
    deal(
        random, weights,
        [&](std::size_t rank, host::SavedTensor tensor) {
          contents[rank].weights.push_back(std::move(tensor));
        },
        ranks);
    deal(random, slots, give_slot, ranks);
    deal(random, states, give_slot, ranks);

    const auto checkpoint = host::Checkpoint::open(save_all(scratch / "checkpoints", contents));
    CHECK(checkpoint.step() == round);
    CHECK(checkpoint.ranks() == ranks);
    CHECK(checkpoint.state().at("rank") == 0);
    CHECK(checkpoint.tensors().size() == 3 * std::size(kShapes));
    for (const auto* globals : {&weights, &slots, &states})
      for (const Global& global : *globals) check_read(random, checkpoint, global);
  }
}

TEST_CASE("checkpoint: what several ranks hold is stored once, by the lowest of them") {
  const ScratchFolder scratch;
  const auto content = small_content(3);
  const auto folder = save_all(scratch.path(), {content, content, content});
  const host::SafetensorsFile first(folder / "weights-00000.safetensors");
  CHECK(first.tensors().size() == 2);
  for (const char* name : {"weights-00001", "weights-00002", "optimizer-00001", "optimizer-00002"})
    CHECK(host::SafetensorsFile(folder / (std::string(name) + ".safetensors")).tensors().empty());
}

TEST_CASE("checkpoint: layouts are stored once, as grids, whatever the number of tensors") {
  const ScratchFolder scratch;
  Random random(5);
  std::vector<host::CheckpointContent> contents(4, {1, {}, {}});
  for (int i = 0; i != 20; ++i)
    for (std::int64_t rank = 0; rank != 4; ++rank)
      contents[std::size_t(rank)].weights.push_back({"block." + std::to_string(i),
                                                     {257, 12},
                                                     split_rows({257, 12}, 4)[std::size_t(rank)][0],
                                                     random_bits(random, 65 * 12, at::kFloat)});
  const auto index = host::read_index(save_all(scratch.path(), contents));
  CHECK(index.tensors.size() == 20);
  REQUIRE(index.layouts.size() == 1);
  CHECK(index.layouts[0].to_json() ==
        nlohmann::json::parse(R"({"cuts":[[0,65,130,195,257],[0,12]],"files":[0,1,2,3]})"));
}

}  // namespace
}  // namespace mortise::tests
