// One run file on any number of ranks.

#include <doctest/doctest.h>

#include <deque>

#include "tests/end_to_end/port.hpp"
#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

const Words kShort = sets({"run.steps=6", "checkpoint.every=6"});

Words in_folder(const std::string& folder) { return kShort + sets({"run.folder=" + folder}); }

Environment rank_variables(int rank, int ranks, int port) {
  return {{"RANK", std::to_string(rank)},        {"LOCAL_RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(ranks)}, {"LOCAL_WORLD_SIZE", std::to_string(ranks)},
          {"MASTER_ADDR", "127.0.0.1"},          {"MASTER_PORT", std::to_string(port)}};
}

}  // namespace

TEST_CASE("layouts: one file gives the same losses to the last bit on 1, 2, 3 and 4 ranks") {
  const Trial trial;
  for (int ranks = 1; ranks <= 4; ++ranks)
    check_done(trial.run(ranks, in_folder("on" + std::to_string(ranks))));
  const Words alone = trial.numbers("on1/tiny");
  CHECK(alone.size() == 6 * 3 + 3 * 2);  // loss, norm, rate of each step; held out at 0, 5 and 6
  for (int ranks = 2; ranks <= 4; ++ranks) {
    CAPTURE(ranks);
    CHECK(trial.numbers("on" + std::to_string(ranks) + "/tiny") == alone);
  }
}

TEST_CASE("layouts: ddp gives the losses of one process on any number of ranks") {
  const Trial trial;
  const Words ddp = sets({"parallel=[{use: ddp, reduction: micro_batch}]"});
  check_done(trial.run(1, in_folder("fsdp")));
  for (const int ranks : {1, 2, 3}) {
    CAPTURE(ranks);
    const std::string folder = "ddp" + std::to_string(ranks);
    check_done(trial.run(ranks, ddp + in_folder(folder)));
    CHECK(trial.numbers(folder + "/tiny") == trial.numbers("fsdp/tiny"));
  }
}

TEST_CASE("layouts: whatever carries the collectives, the losses are the same to the last bit") {
  const Trial trial;
  for (const char* name : {"auto", "gloo", "shared_memory"})
    check_done(trial.run(2, in_folder(name) + sets({std::string("run.communicator=") + name})));
  for (const char* name : {"gloo", "shared_memory"})
    CHECK(trial.numbers(std::string(name) + "/tiny") == trial.numbers("auto/tiny"));
  check_refused(trial.run(2, sets({"run.communicator=shared_memori"})), 2,
                {"C0110", "run.communicator", "did you mean shared_memory?"});
}

TEST_CASE("layouts: a launcher's variables make the ranks of one run, the store is in rank 0") {
  const Trial trial;
  check_done(trial.run(1, in_folder("alone")));
  const int port = free_port();
  std::deque<Program> ranks;
  for (int rank = 0; rank != 2; ++rank)
    ranks.emplace_back(trial.start(Words{"run", "run.yaml"} + in_folder("launched"),
                                   rank_variables(rank, 2, port)));
  for (Program& rank : ranks) check_done(rank.wait());
  CHECK(trial.numbers("launched/tiny") == trial.numbers("alone/tiny"));
}

TEST_CASE("layouts: ranks that are not alike are refused, with rank and line") {
  const Trial trial;
  const int port = free_port();
  std::deque<Program> ranks;
  for (int rank = 0; rank != 2; ++rank)
    ranks.emplace_back(
        trial.start(Words{"run", "run.yaml"} + in_folder("unlike") +
                        sets({"optimizer.learning_rate=" + std::to_string(rank + 1) + "e-3"}),
                    rank_variables(rank, 2, port)));
  std::string told;
  for (Program& rank : ranks) {
    const Outcome outcome = rank.wait();
    CHECK(outcome.exit == 6);
    told += outcome.err;
  }
  CHECK(count(told, "error[R0104]") == 1);
  for (const char* part : {"rank 1", "learning_rate: 0.002", "learning_rate: 0.001"})
    CHECK_MESSAGE(contains(told, part), told);
  CHECK_FALSE(trial.has("unlike"));
}
