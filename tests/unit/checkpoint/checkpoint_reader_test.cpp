#include "host/checkpoint/checkpoint_reader.hpp"

#include <sstream>

#include "tests/doctest_with_torch.hpp"
#include "tests/unit/checkpoint/saved_run.hpp"
#include "tests/unit/checkpoint/scratch_folder.hpp"

namespace mortise::tests {
namespace {

std::string open_failure(const std::filesystem::path& folder, host::ChecksumShare share = {}) {
  return failure_from([&] { host::Checkpoint::open(folder, share); });
}

void flip_last_byte(const std::filesystem::path& file) {
  std::string content = content_of(file);
  content.back() = char(content.back() ^ 1);
  put_content(file, content);
}

// Anonymous memory of this process; mapped files do not count.
std::int64_t anonymous_bytes() {
  std::istringstream status(content_of("/proc/self/status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8)) * 1024;
  return 0;
}

TEST_CASE("checkpoint: opens with its step, its tensors and its state") {
  const ScratchFolder scratch;
  const auto checkpoint = host::Checkpoint::open(save_small(scratch.path(), 200));
  CHECK(checkpoint.step() == 200);
  CHECK(checkpoint.ranks() == 1);
  CHECK(checkpoint.state() == nlohmann::ordered_json{{"step", 200}});
  CHECK(checkpoint.tensors().size() == 4);
  CHECK(checkpoint.has("adamw.exp_avg/norm.weight"));
  CHECK_FALSE(checkpoint.has("lm_head.weight"));
  CHECK(checkpoint.tensors().at("norm.weight").shape == Shape{4, 3});
}

TEST_CASE("checkpoint: each kind of damage is refused with its id and its file") {
  const ScratchFolder scratch;
  const auto folder = save_small(scratch.path(), 200);
  const auto weights = folder / "weights-00000.safetensors";

  SUBCASE("no index") {
    std::filesystem::remove(folder / "index.json");
    CHECK(contains(open_failure(folder), "K0010\n" + folder.string()));
  }
  SUBCASE("no folder") { CHECK(contains(open_failure(scratch / "nowhere"), "K0010\n")); }
  SUBCASE("index cut short") {
    std::filesystem::resize_file(folder / "index.json", 40);
    CHECK(contains(open_failure(folder), "K0011\n" + (folder / "index.json").string()));
  }
  SUBCASE("file cut short") {
    std::filesystem::resize_file(weights, std::filesystem::file_size(weights) - 1);
    CHECK(contains(open_failure(folder), "K0012\n"));
    CHECK(contains(open_failure(folder), "weights-00000.safetensors: "));
  }
  SUBCASE("several files missing: all are named") {
    std::filesystem::remove(weights);
    std::filesystem::remove(folder / "state.json");
    CHECK(contains(open_failure(folder), "weights-00000.safetensors: No such file"));
    CHECK(contains(open_failure(folder), "state.json: No such file"));
  }
  SUBCASE("one bit") {
    flip_last_byte(weights);
    CHECK(contains(open_failure(folder), "K0013\n"));
    CHECK(contains(open_failure(folder), "weights-00000.safetensors: XXH3"));
  }
}

TEST_CASE("checkpoint: the checksum shares of several ranks see every file once") {
  const ScratchFolder scratch;
  const auto folder = save_small(scratch.path(), 200);
  flip_last_byte(folder / "optimizer-00000.safetensors");
  int refusals = 0;
  for (std::int64_t part = 0; part != 3; ++part)
    refusals += open_failure(folder, {part, 3}) != "none";
  CHECK(refusals == 1);
}

TEST_CASE("checkpoint: an index with any one field wrong is refused") {
  const ScratchFolder scratch;
  const auto folder = save_small(scratch.path(), 200);
  const std::string good = content_of(folder / "index.json");
  struct Row {
    const char *from, *to;
  };
  for (const Row& row : {
           Row{"\"version\":1", "\"version\":2"},
           Row{"mortise-checkpoint", "other"},
           Row{"\"ranks\":1", "\"ranks\":0"},
           Row{"\"step\":200", "\"step\":-1"},
           Row{"\"state.json\"", "\"../state.json\""},
           Row{"\"F32\"", "\"F99\""},
           Row{"\"layout\":0", "\"layout\":1"},
           Row{"\"shape\":[4,3]", "\"shape\":[4,4]"},
           Row{"\"weights\"", "\"other\""},
           Row{"\"files\":[0]", "\"files\":[1]"},
           Row{"[0,4]", "[0,5]"},
           Row{"\"tensors\"", "\"tensor\""},
           Row{"\"bytes\":", "\"byte\":"},
       }) {
    CAPTURE(row.from);
    std::string bad = good;
    const std::size_t at = bad.find(row.from);
    REQUIRE(at != std::string::npos);
    put_content(folder / "index.json", bad.replace(at, std::string(row.from).size(), row.to));
    CHECK(contains(open_failure(folder), "K0011\n"));
  }
  put_content(folder / "index.json", good);
  CHECK(open_failure(folder) == "none");
}

TEST_CASE("checkpoint: an index that does not match its files is refused when it is read") {
  const ScratchFolder scratch;
  const auto folder = save_small(scratch.path(), 200);
  std::string index = content_of(folder / "index.json");
  for (std::size_t at = 0; (at = index.find("[4,3]", at)) != std::string::npos;)
    index.replace(at, 5, "[3,4]");
  index.replace(index.find("[[0,4],[0,3]]"), 13, "[[0,3],[0,4]]");
  put_content(folder / "index.json", index);
  const auto checkpoint = host::Checkpoint::open(folder);
  const std::string failure = failure_from([&] {
    checkpoint.read("norm.weight", host::whole_box({3, 4}));
  });
  CHECK(contains(failure, "K0014\n"));
}

TEST_CASE("checkpoint: names that are not there and boxes that leave a tensor are refused") {
  const ScratchFolder scratch;
  const auto checkpoint = host::Checkpoint::open(save_small(scratch.path(), 1));
  const auto fails = [&](const char* name, Box box) {
    return contains(failure_from([&] { checkpoint.read(name, box); }), "K0030\n");
  };
  CHECK(fails("lm_head.weight", {{0, 0}, {4, 3}}));
  CHECK(fails("norm.weight", {{1, 0}, {4, 3}}));
  CHECK(fails("norm.weight", {{0}, {4}}));
  CHECK(checkpoint.read("norm.weight", {{4, 0}, {0, 3}}).numel() == 0);
}

TEST_CASE("checkpoint: reads into the first elements of what is longer, and touches no more") {
  const ScratchFolder scratch;
  const auto content = small_content(1);
  const auto checkpoint = host::Checkpoint::open(save_small(scratch.path(), 1));
  at::Tensor master = at::empty({16}).fill_(7);
  checkpoint.read_into("embed.weight", host::whole_box({4, 3}), master);
  CHECK(same_bits(master, content.weights[0].values, 12));
  CHECK(master.slice(0, 12, 16).eq(7).all().item<bool>());
  at::Tensor too_short = at::empty({11});
  CHECK_THROWS(checkpoint.read_into("embed.weight", host::whole_box({4, 3}), too_short));
}

TEST_CASE("checkpoint: differences from the model are listed together, one group at a time") {
  const ScratchFolder scratch;
  const auto checkpoint = host::Checkpoint::open(save_small(scratch.path(), 1));
  using host::SavedGroup;
  const std::vector<host::ExpectedTensor> same = {{"embed.weight", {4, 3}},
                                                  {"norm.weight", {4, 3}}};
  CHECK(checkpoint.compare(SavedGroup::weights, same).empty());
  CHECK(failure_from([&] { checkpoint.require_same(SavedGroup::weights, same); }) == "none");

  const std::vector<host::ExpectedTensor> other = {
      {"embed.weight", {5, 3}}, {"lm_head.weight", {4, 3}}, {"layers.2.weight", {1}}};
  const auto difference = checkpoint.compare(SavedGroup::weights, other);
  CHECK(difference.missing == Strings{"lm_head.weight", "layers.2.weight"});
  CHECK(difference.unexpected == Strings{"norm.weight"});
  CHECK(difference.mis_shaped ==
        Strings{"embed.weight: expected F32[5, 3], the checkpoint has F32[4, 3]"});
  const std::string failure =
      failure_from([&] { checkpoint.require_same(SavedGroup::weights, other); });
  CHECK(contains(failure, "K0030\n"));
  for (const char* part : {"missing in the checkpoint (2):", "lm_head.weight", "layers.2.weight",
                           "not expected (1):", "norm.weight", "of another shape or type (1):"})
    CHECK(contains(failure, part));

  const auto types = checkpoint.compare(
      SavedGroup::weights, {{"embed.weight", {4, 3}, at::kDouble}, {"norm.weight", {4, 3}}});
  CHECK(types.mis_shaped ==
        Strings{"embed.weight: expected F64[4, 3], the checkpoint has F32[4, 3]"});
}

TEST_CASE("checkpoint: opening and reading a box takes memory for the box, not for the files") {
  const ScratchFolder scratch;
  constexpr std::int64_t kRows = 4096, kColumns = 4096;  // 64 MiB
  host::CheckpointContent content{1, {}, {}};
  content.weights.push_back(
      whole("large", at::empty({kRows * kColumns}).zero_(), {kRows, kColumns}));
  const std::int64_t before_save = anonymous_bytes();
  const auto folder =
      host::CheckpointWriter(scratch.path(), {}, [](const std::string&) {}).save(content, {});
  CHECK(anonymous_bytes() - before_save < (8 << 20));
  content.weights.clear();

  const std::int64_t before = anonymous_bytes();
  const auto checkpoint = host::Checkpoint::open(folder);
  const at::Tensor column = checkpoint.read("large", {{0, 100}, {kRows, 16}});
  CHECK(column.numel() == kRows * 16);
  CHECK(anonymous_bytes() - before < (8 << 20));
}

}  // namespace
}  // namespace mortise::tests
