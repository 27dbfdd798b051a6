#include "host/checkpoint/checkpoint_folder.hpp"

#include "host/checkpoint/files/step_name.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/unit/checkpoint/saved_run.hpp"
#include "tests/unit/checkpoint/scratch_folder.hpp"

namespace mortise::tests {
namespace {

using host::CheckpointFolder;
using Steps = std::vector<std::int64_t>;

void ignore(const std::string&) {}

Steps steps_of(const std::vector<host::FoundCheckpoint>& found) {
  Steps steps;
  for (const auto& checkpoint : found) steps.push_back(checkpoint.step);
  return steps;
}

void save_steps(const ScratchFolder& scratch, const Steps& steps) {
  for (const std::int64_t step : steps) save_small(scratch.path(), step);
}

TEST_CASE("step name: only names that we give are steps") {
  CHECK(host::step_name(200) == "step_00000200");
  CHECK(host::step_name(1'234'567'890) == "step_1234567890");
  CHECK(host::step_of("step_00000200") == 200);
  CHECK(host::step_of("step_1234567890") == 1'234'567'890);
  for (const char* name : {"step_200", "step_00000200 ", "step_00000200.partial", "step_-0000200",
                           "step_", "Step_00000200", "step_0000020x", "step_01234567890"})
    CHECK_FALSE(host::step_of(name).has_value());
  CHECK(host::is_leftover("step_00000200.partial"));
  CHECK_FALSE(host::is_leftover("step_00000200"));
  CHECK_FALSE(host::is_leftover("step_200.partial"));
}

TEST_CASE("checkpoint folder: the latest is the highest complete step, by number") {
  const ScratchFolder scratch;
  CHECK_FALSE(CheckpointFolder(scratch / "missing", ignore).latest().has_value());
  save_steps(scratch, {100'000'000, 200, 99'999'999});
  const CheckpointFolder folder(scratch.path(), ignore);
  CHECK(steps_of(folder.complete()) == Steps{200, 99'999'999, 100'000'000});
  CHECK(folder.latest().value().step == 100'000'000);
}

TEST_CASE("checkpoint folder: torn checkpoints are passed over with a warning each") {
  const ScratchFolder scratch;
  save_steps(scratch, {1, 2, 3, 4});
  std::filesystem::remove(scratch / "step_00000004/index.json");
  std::filesystem::resize_file(scratch / "step_00000003/weights-00000.safetensors", 100);
  std::filesystem::create_directory(scratch / "step_00000005.partial");
  put_content(scratch / "step_00000006", "a file");
  Strings warnings;
  const CheckpointFolder folder(scratch.path(),
                                [&](const std::string& text) { warnings.push_back(text); });
  CHECK(folder.latest().value().step == 2);
  REQUIRE(warnings.size() == 3);
  CHECK(contains(warnings[0], "step_00000006"));
  CHECK(contains(warnings[1], "step_00000004"));
  CHECK(contains(warnings[2], "weights-00000.safetensors: 100 bytes, expected"));
}

TEST_CASE("checkpoint folder: latest, a step, its name and a path are resolved") {
  const ScratchFolder scratch;
  save_steps(scratch, {100, 200});
  const CheckpointFolder folder(scratch.path(), ignore);
  CHECK(folder.resolve("latest") == scratch / "step_00000200");
  CHECK(folder.resolve("100") == scratch / "step_00000100");
  CHECK(folder.resolve("step_00000100") == scratch / "step_00000100");
  CHECK(folder.resolve((scratch / "step_00000100").string()) == scratch / "step_00000100");
  for (const char* which : {"150", "step_00000150", "/no/such/folder", "first"}) {
    const std::string failure = failure_from([&] { folder.resolve(which); });
    CHECK(contains(failure, "K0031\n"));
    CHECK(contains(failure, "100, 200"));
  }
  const CheckpointFolder none(scratch / "missing", ignore);
  CHECK(contains(failure_from([&] { none.resolve("latest"); }), "start the run anew"));
}

TEST_CASE("retention: the newest, the regular and the best stay") {
  struct Row {
    const char* what;
    host::Retention retention;
    Steps left;
  };
  for (const Row& row : {
           Row{"all", {}, {1, 2, 3, 4, 5, 6}},
           Row{"all, though some are best", {0, 2, {1}}, {1, 2, 3, 4, 5, 6}},
           Row{"two", {2, 0, {}}, {5, 6}},
           Row{"more than there are", {9, 0, {}}, {1, 2, 3, 4, 5, 6}},
           Row{"one and every second", {1, 2, {}}, {2, 4, 6}},
           Row{"one and the best", {1, 0, {3, 77}}, {3, 6}},
       }) {
    CAPTURE(row.what);
    const ScratchFolder scratch;
    save_steps(scratch, {1, 2, 3, 4, 5, 6});
    const CheckpointFolder folder(scratch.path(), ignore);
    const auto removed = folder.apply(row.retention);
    CHECK(steps_of(folder.complete()) == row.left);
    CHECK(removed.size() == 6 - row.left.size());
    CHECK(names_in(scratch.path()).size() == row.left.size());
  }
}

TEST_CASE("retention: the newest complete one stays when newer ones are torn") {
  const ScratchFolder scratch;
  save_steps(scratch, {1, 2, 3});
  std::filesystem::remove(scratch / "step_00000003/index.json");
  const CheckpointFolder folder(scratch.path(), ignore);
  CHECK(steps_of(folder.apply({1, 0, {}})) == Steps{1});
  CHECK(folder.latest().value().step == 2);
}

TEST_CASE("retention: folders that are not ours, or hold what is not ours, stay") {
  const ScratchFolder scratch, elsewhere;
  save_steps(scratch, {2, 5});
  save_small(elsewhere.path(), 3);
  std::filesystem::create_directory(scratch / "step_00000001");  // someone's
  put_content(scratch / "step_00000001/notes.txt", "keep me");
  put_content(scratch / "step_00000002/notes.txt", "keep me");
  std::filesystem::create_directory_symlink(elsewhere / "step_00000003", scratch / "step_00000003");
  std::filesystem::create_directory(scratch / "step_4");
  Strings warnings;
  const CheckpointFolder folder(scratch.path(),
                                [&](const std::string& text) { warnings.push_back(text); });
  CHECK(folder.apply({1, 0, {}}).empty());
  CHECK(names_in(scratch.path()) ==
        Strings{"step_00000001", "step_00000002", "step_00000003", "step_00000005", "step_4"});
  CHECK(warnings.size() == 2);  // step 1 is torn, step 2 holds notes
  CHECK(names_in(elsewhere.path()) == Strings{"step_00000003"});
}

}  // namespace
}  // namespace mortise::tests
