#include "host/checkpoint/checkpoint_writer.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/checkpoint/checkpoint_reader.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/unit/checkpoint/saved_run.hpp"
#include "tests/unit/checkpoint/scratch_folder.hpp"

namespace mortise::tests {
namespace {

void ignore(const std::string&) {}

host::CheckpointContent large_content(std::int64_t step) {
  host::CheckpointContent content{step, {}, {}};
  content.weights.push_back(whole("large", at::empty({1 << 20}).zero_(), {1 << 20}));
  return content;
}

// Saves on two ranks, of which rank 1 has the large tensor; what each one threw.
Strings save_large_on_rank_1(const std::filesystem::path& checkpoints) {
  Strings failures;
  for (const auto& thrown : SimulatedRanks(2).run([&](const host::SavingRanks& ranks) {
         host::CheckpointWriter writer(checkpoints, ranks, ignore);
         writer.save(ranks.rank == 1 ? large_content(9) : host::CheckpointContent{9, {}, {}}, {});
       }))
    failures.push_back(failure_from(thrown));
  return failures;
}

TEST_CASE("checkpoint writer: a folder has its files, its final name and nothing else beside it") {
  const ScratchFolder scratch;
  const auto folder = save_small(scratch / "run/checkpoints", 200);
  CHECK(folder == scratch / "run/checkpoints/step_00000200");
  CHECK(names_in(folder.parent_path()) == Strings{"step_00000200"});
  CHECK(names_in(folder) == Strings{"index.json", "optimizer-00000.safetensors", "state.json",
                                    "weights-00000.safetensors"});
}

TEST_CASE("checkpoint writer: what a crash left behind is removed, with a warning") {
  const ScratchFolder scratch;
  for (const char* name : {"step_00000100.partial", "step_00000200.partial", "mine.partial"}) {
    std::filesystem::create_directories(scratch / name);
    put_content(scratch / name / "weights-00000.safetensors", "torn");
  }
  Strings warnings;
  save_small(scratch.path(), 200, [&](const std::string& text) { warnings.push_back(text); });
  CHECK(names_in(scratch.path()) == Strings{"mine.partial", "step_00000200"});
  CHECK(warnings.size() == 2);
}

TEST_CASE("checkpoint writer: the same step again replaces its checkpoint") {
  const ScratchFolder scratch;
  save_small(scratch.path(), 200);
  host::CheckpointContent other = small_content(7);
  other.step = 200;
  host::CheckpointWriter(scratch.path(), {}, ignore).save(other, {});
  CHECK(names_in(scratch.path()) == Strings{"step_00000200"});
  const auto checkpoint = host::Checkpoint::open(scratch / "step_00000200");
  const auto& norm = other.weights[1];
  CHECK(same_bits(checkpoint.read(norm.name, norm.box), norm.values, 12));
}

TEST_CASE("checkpoint writer: what is no checkpoint under the final name is moved aside") {
  const ScratchFolder scratch;
  for (const char* content : {"notes", "more notes"}) {
    std::filesystem::remove_all(scratch / "step_00000200");
    std::filesystem::create_directory(scratch / "step_00000200");
    put_content(scratch / "step_00000200/notes.txt", content);
    Strings warnings;
    save_small(scratch.path(), 200, [&](const std::string& text) { warnings.push_back(text); });
    CHECK(warnings.size() == 1);
  }
  CHECK(names_in(scratch.path()) ==
        Strings{"step_00000200", "step_00000200.aside", "step_00000200.aside-2"});
  CHECK(content_of(scratch / "step_00000200.aside/notes.txt") == "notes");
}

TEST_CASE("checkpoint writer: a file where the folder belongs is named with the reason") {
  const ScratchFolder scratch;
  put_content(scratch / "checkpoints", "a file");
  const std::string failure = failure_from([&] { save_small(scratch / "checkpoints", 1); });
  CHECK(contains(failure, "K0002\n" + (scratch / "checkpoints").string()));
  CHECK(contains(failure, "ENOTDIR"));
  CHECK(content_of(scratch / "checkpoints") == "a file");
}

TEST_CASE(
    "checkpoint writer: a limit on file sizes fails every rank alike and leaves the older one") {
  const ScratchFolder scratch;
  save_small(scratch.path(), 8);
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {1 << 20, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Strings failures = save_large_on_rank_1(scratch.path());
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_action);

  CHECK(contains(failures[0], "K0001\nrank 1: "));
  CHECK(contains(failures[0], "weights-00001.safetensors"));
  CHECK(contains(failures[0], "EFBIG"));
  CHECK(failures[1] == failures[0]);
  CHECK(names_in(scratch.path()) == Strings{"step_00000008"});
  CHECK(host::Checkpoint::open(scratch / "step_00000008").step() == 8);
}

TEST_CASE("checkpoint writer: a full disk fails every rank alike and leaves the older one") {
  const ScratchFolder scratch;
  bool mounted = false;
  Strings failures, left;
  // A thread with a mount namespace of its own: nobody else sees the small disk.
  std::thread([&] {
    mounted = ::unshare(CLONE_NEWNS) == 0 &&
              ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              ::mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=2m") == 0;
    if (!mounted) return;
    save_small(scratch.path(), 8);
    failures = save_large_on_rank_1(scratch.path());
    left = names_in(scratch.path());
  }).join();
  if (!mounted) {
    MESSAGE("skipped: a small tmpfs cannot be mounted here (needs CAP_SYS_ADMIN)");
    return;
  }
  CHECK(contains(failures[0], "K0001\nrank "));  // 1, or 0 whose files came too late
  CHECK(contains(failures[0], "ENOSPC"));
  CHECK(failures[1] == failures[0]);
  CHECK(left == Strings{"step_00000008"});
}

TEST_CASE("checkpoint writer: ranks that disagree on a tensor are both named") {
  const ScratchFolder scratch;
  const auto thrown = SimulatedRanks(2).run([&](const host::SavingRanks& ranks) {
    const Shape shape = {4 + ranks.rank};
    host::CheckpointWriter(scratch.path(), ranks, ignore)
        .save({1, {whole("x", at::empty({5}), shape)}, {}}, {});
  });
  for (const auto& each : thrown) {
    CHECK(contains(failure_from(each), "K0021\n"));
    CHECK(
        contains(failure_from(each), "rank 0 has F32[4] in weights, rank 1 has F32[5] in weights"));
  }
  CHECK(names_in(scratch.path()).empty());
}

TEST_CASE("checkpoint writer: boxes that do not cover a tensor are refused") {
  const ScratchFolder scratch;
  const host::SavedTensor half = {"x", {4}, {{0}, {2}}, at::empty({2})};
  const std::string failure = failure_from([&] {
    host::CheckpointWriter(scratch.path(), {}, ignore).save({1, {half}, {}}, {});
  });
  CHECK(contains(failure, "K0020\n"));
  CHECK(contains(failure, "`x`: boxes hold 2 of the 4 elements of [4]"));
  CHECK(names_in(scratch.path()).empty());
}

TEST_CASE("checkpoint writer: a tensor that is not what it says ends the save on every rank") {
  const ScratchFolder scratch;
  const auto thrown = SimulatedRanks(3).run([&](const host::SavingRanks& ranks) {
    const std::int64_t has = ranks.rank == 2 ? 3 : 4;  // rank 2 is one short
    host::CheckpointWriter(scratch.path(), ranks, ignore)
        .save({1, {whole("x", at::empty({has}), {4})}, {}}, {});
  });
  for (const auto& each : thrown)
    CHECK(contains(failure_from(each), "K0004\nrank 2: `x` is no 1-d"));
}

TEST_CASE("checkpoint writer: a lost rank leaves nothing behind") {
  const ScratchFolder scratch;
  int calls = 0;
  host::CheckpointWriter writer(scratch.path(),
                                {0, 2,
                                 [&](const std::string& mine) {
                                   if (++calls == 2) throw std::runtime_error("rank 1 was lost");
                                   return Strings{mine, "+"};
                                 }},
                                ignore);
  CHECK_THROWS_WITH(writer.save(small_content(1), {}), "rank 1 was lost");
  CHECK(names_in(scratch.path()).empty());
}

[[noreturn]] void save_until_killed(const std::filesystem::path& checkpoints) {
  const host::CheckpointFolder folder(checkpoints, ignore);
  for (std::int64_t step = folder.latest() ? folder.latest()->step + 1 : 1;; ++step) {
    save_small(checkpoints, step);
    folder.apply({2, 0, {}});
  }
}

TEST_CASE("checkpoint writer: killed at any moment, what is visible is complete") {
  const ScratchFolder scratch;
  const std::uint64_t seed = test_seed();
  MESSAGE("MORTISE_TEST_SEED=" << seed);
  Random random(seed);
  save_small(scratch.path(), 0);
  for (int round = 0; round != 25; ++round) {
    CAPTURE(round);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) save_until_killed(scratch.path());
    std::this_thread::sleep_for(std::chrono::microseconds(pick(random, 500, 120000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    Strings warnings;
    const host::CheckpointFolder folder(scratch.path(),
                                        [&](const std::string& text) { warnings.push_back(text); });
    for (const auto& found : folder.complete()) {
      const auto checkpoint = host::Checkpoint::open(found.folder);
      const auto wanted = small_content(found.step).weights[0];
      CHECK(same_bits(checkpoint.read(wanted.name, wanted.box), wanted.values, 12));
    }
    CHECK(folder.latest().has_value());
    CHECK(warnings.empty());
  }
}

}  // namespace
}  // namespace mortise::tests
