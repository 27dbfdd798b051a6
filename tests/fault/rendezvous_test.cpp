// Ranks that meet, or do not: ports that are taken, jobs at once, failures under a launcher (R-11,
//

#include <doctest/doctest.h>

#include <csignal>

#include "tests/fault/launched.hpp"

namespace {

using namespace mortise::tests;

// One rank as a launcher starts it.
Program::Start rank_of(const Trial& trial, int rank, int ranks, int port, const Words& more = {}) {
  return trial.start(Words{"run", "run.yaml"} + more, torchrun_variables(rank, ranks, port));
}

}  // namespace

TEST_CASE("rendezvous: two jobs at once do not meet") {
  const Trial trial;
  Program one(trial.start(Words{"run", "run.yaml", "-n", "2"}));
  Program other(trial.start(Words{"run", "run.yaml", "-n", "2"} + sets({"run.name=other"})));
  check_done(one.wait());
  check_done(other.wait());
  CHECK(trial.numbers("runs/tiny") == trial.numbers("runs/other"));
}

TEST_CASE("rendezvous: a job on the port of another is refused and does not disturb it (R-11)") {
  const Trial trial;
  const int port = free_port();
  const Environment there{{"MASTER_PORT", std::to_string(port)}};
  LaunchedRanks first(trial, 2, sets({"run.steps=1M"}), there);
  REQUIRE(first[0].wait_until_it_says("saved step 4"));
  LaunchedRanks second(trial, 2, sets({"run.steps=1M", "run.name=second"}), there);
  const std::string place = "127.0.0.1:" + std::to_string(port);
  const std::vector<Outcome> refused = second.wait();
  check_refused(refused[0], 6, {"R0102", place, "taken", "MASTER_PORT"});
  check_refused(refused[1], 6, {"R0106", place, "rank 1", "MASTER_PORT"});
  first[1].send(SIGTERM);
  for (const Outcome& stopped : first.wait()) CHECK(stopped.exit == 75);
  CHECK(trial.names("runs") == Words{"tiny"});
}

TEST_CASE("rendezvous: a failure before the ranks have met is told once under a launcher") {
  const Trial trial;
  const Words wrong = sets({"optimizer.learning_rate=fast"});
  const std::vector<Outcome> all = LaunchedRanks(trial, 3, wrong).wait();
  for (const Outcome& o : all) CHECK(o.exit == 2);
  const std::string said = errors_of(all);
  CAPTURE(said);
  CHECK(count(said, "error[C0104]") == 1);
  CHECK(count(said, "error[") == 1);

  for (const int broken : {0, 1}) {  // one rank alone fails; the others do not wait for it
    CAPTURE(broken);
    const int port = free_port();
    Program failing(rank_of(trial, broken, 2, port, wrong));
    Program waiting(rank_of(trial, 1 - broken, 2, port));
    const Outcome told = failing.wait(), silent = waiting.wait();
    check_refused(told, 2, {"learning_rate"});
    CHECK(silent.exit == 6);
    CHECK(silent.err == "");
    CHECK(silent.took < std::chrono::seconds(15));
  }
  CHECK_FALSE(trial.has("runs"));
}

TEST_CASE("rendezvous: under a launcher too a lost rank is named, with step and operation (R-10)") {
  const Trial trial;
  check_done(trial.run(1, sets({"run.steps=4"})));
  const Words more = Words{"--resume", "latest"} + sets({"run.timeout=20s"});
  struct Row {
    const char *component, *call;
    int lost;
    const char* place;
  };
  for (const Row& row : {Row{"layer_ops", "forward", 0, "after 6 steps"},
                         Row{"layer_ops", "evaluation", 1, "in the evaluation after 5 steps"},
                         Row{"observers", "save", 2, "saving step 8"}}) {
    CAPTURE(row.call);
    const int at = row.lost == 0 ? 6 : row.lost == 1 ? 5 : 8, port = free_port();
    Words fault = with_fault({row.component, row.call, "kill", at, row.lost});
    if (row.lost == 2) fault = fault + Words{"--accept", "layer_ops"};  // the rows before had it
    LaunchedRanks job(trial, 3, more + fault, {{"MASTER_PORT", std::to_string(port)}});
    const std::vector<Outcome> all = job.wait();
    const std::string said = errors_of(all);
    CAPTURE(said);
    for (int r = 0; r != 3; ++r) {
      CHECK(all[std::size_t(r)].exit == (r == row.lost ? -1 : 6));
      CHECK(all[std::size_t(r)].took < std::chrono::seconds(20));
    }
    CHECK(count(said, "error[") == (row.lost == 0 ? 2 : 1));  // with rank 0 the store has gone
    for (const std::string& part :
         {std::string("R0201"), std::string(row.place), std::string(" on rank "),
          "rank " + std::to_string(row.lost) + " is lost"}) {
      CAPTURE(part);
      CHECK(contains(said, part));
    }
    CHECK(saved_steps(trial) == std::vector<int>{4});
    if (row.lost != 0) CHECK(half_checkpoints(trial).empty());
    const TakenPort again(port);  // nobody listens there any more
  }
}

TEST_CASE("rendezvous: a rank that never comes is named after the time-out") {
  const Trial trial;
  Program::Start start = rank_of(trial, 0, 2, free_port(), sets({"run.timeout=1s"}));
  check_refused(Program(start).wait(), 6, {"R0103", "rank 1 has not come"});
  CHECK_FALSE(trial.has("runs"));
}
