// Disks that are full and folders that are read-only while a run saves and logs.

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/fault/faulty_run.hpp"

namespace {

using namespace mortise::tests;
namespace fs = std::filesystem;

// A small disk in a folder, where this user may mount one.
class SmallDisk {
 public:
  SmallDisk(const fs::path& folder, const char* size) : folder_(folder) {
    fs::create_directories(folder);
    mounted_ = mount("none", folder.c_str(), "tmpfs", 0, size) == 0;
    if (!mounted_) MESSAGE("skipped: no tmpfs can be mounted: " << std::strerror(errno));
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  void grow(const char* size) const { mount("none", folder_.c_str(), "tmpfs", MS_REMOUNT, size); }

 private:
  fs::path folder_;
  bool mounted_;
};

void check_goes_on(const Trial& trial, int ranks, int step) {
  const Outcome more = trial.run(ranks, {"--resume", "latest", "--accept", "run.steps"});
  check_done(more);
  CHECK(contains(more.said(), "goes on at step " + std::to_string(step)));
}

std::string resumed(int ranks) {
  return "mortise run run.yaml -n " + std::to_string(ranks) + " --resume latest";
}

}  // namespace

TEST_CASE("storage: a file that may not grow so large ends the run, the last checkpoint stays") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    check_done(trial.run(ranks, sets({"run.steps=4"})));
    const Outcome outcome = trial.typed("ulimit -f 40; exec " + resumed(ranks));  // 20 KiB
    check_refused(outcome, 7, {"K0001", "step_00000008.partial/", "(EFBIG)", "ulimit -f"});
    CHECK(saved_steps(trial) == std::vector<int>{4});
    CHECK(half_checkpoints(trial).empty());
    check_goes_on(trial, ranks, 4);
  }
}

TEST_CASE("storage: a full disk ends the run, the last checkpoint stays") {
  const Trial trial;
  const SmallDisk disk(trial.path("runs"), "size=700k");
  if (!disk.mounted()) return;
  const Outcome outcome = trial.run(2, sets({"run.steps=30"}));
  check_refused(outcome, 7,
                {"K0001", ".partial/", "No space left on device (ENOSPC)", "run.folder"});
  CHECK(half_checkpoints(trial).empty());
  const std::vector<int> saved = saved_steps(trial);
  REQUIRE(!saved.empty());
  disk.grow("size=10m");
  check_goes_on(trial, 2, saved.back());
}

TEST_CASE("storage: a folder that is read-only ends the run, the last checkpoint stays") {
  const Trial trial;
  check_done(trial.run(2, sets({"run.steps=4"})));
  const fs::path checkpoints = trial.path("runs/tiny/checkpoints");
  chmod(checkpoints.c_str(), 0555);
  // The superuser writes everywhere, unless that right is taken away.
  const std::string without = getuid() == 0 ? "setpriv --bounding-set -dac_override " : "";
  const Outcome may = trial.typed(without + "test -w " + checkpoints.string());
  if (may.exit != 1) {
    MESSAGE("skipped: the right to write everywhere cannot be taken away: " << may.err);
    return;
  }
  const Outcome outcome = trial.typed("exec " + without + "$(command -v mortise) " +
                                      resumed(2).substr(std::strlen("mortise ")));
  check_refused(outcome, 7, {"K0002", "step_00000008.partial", "(EACCES)", "writable"});
  CHECK(saved_steps(trial) == std::vector<int>{4});
  CHECK(half_checkpoints(trial).empty());
  chmod(checkpoints.c_str(), 0755);
  check_goes_on(trial, 2, 4);
}

TEST_CASE("storage: a log or metrics that cannot be written are told once, the run goes on") {
  struct Row {
    const char *file, *text;
  };
  for (const Row& row : {Row{"metrics.jsonl", "metric sink jsonl failed and is dropped"},
                         Row{"run.log", "run.log cannot be written"}}) {
    CAPTURE(row.file);
    const Trial trial;
    check_done(trial.run(1, sets({"run.steps=2"})));
    fs::remove(trial.path("runs/tiny") / row.file);
    fs::create_symlink("/dev/full", trial.path("runs/tiny") / row.file);
    const Outcome outcome = trial.run(2, {"--resume", "latest"});
    check_done(outcome);
    CAPTURE(outcome.said());
    CHECK(count(outcome.said(), row.text) == 1);
    CHECK(count(outcome.said(), "No space left on device") == 1);
    CHECK_FALSE(contains(outcome.said(), "LOG ERROR"));
    CHECK(saved_steps(trial).back() == 10);
  }
}
