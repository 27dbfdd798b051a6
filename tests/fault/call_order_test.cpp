// Ranks that make different calls in one group: run.check finds the first one before anything is
// sent, and without it the message of what hangs says where the calls part.

#include <doctest/doctest.h>

#include <regex>

#include "tests/fault/launched.hpp"

namespace {

using namespace mortise::tests;

Words disorder(const std::string& how, bool checked, const Words& more = {}) {
  return Words{"--plugin", fixture_plugin("disorderly").string()} +
         sets({"observers={use: disorderly, how: " + how + ", at: 3}", "run.timeout=5s",
               std::string("run.check=") + (checked ? "collectives" : "none")}) +
         more;
}

struct Row {
  const char *how, *own, *other;  // the calls of rank 1 and of the others
};
const Row kRows[] = {
    {"operation", "broadcast of 16 bytes on rank 1", "all_gather of 32 bytes on rank 0"},
    {"size", "all_gather of 16 bytes on rank 1", "all_gather of 32 bytes on rank 0"},
    {"message", "send of 24 bytes on rank 1", "send of 32 bytes on rank 0"},
};

std::string refused_by_all(LaunchedRanks ranks) {
  const std::vector<Outcome> all = ranks.wait();
  for (const Outcome& o : all) {
    CHECK(o.exit == 6);
    CHECK(o.took < std::chrono::seconds(25));
  }
  return errors_of(all);
}

}  // namespace

TEST_CASE("call order: with run.check the first different call is named before it is made") {
  const Trial trial;
  for (const Row& row : kRows) {
    CAPTURE(row.how);
    const std::string name = row.how;
    const Outcome outcome = trial.run(2, disorder(name, true, sets({"run.name=" + name})));
    check_refused(outcome, 6,
                  {"the ranks make different calls: call 3 of dp #", row.own, row.other,
                   "after 3 steps", "run.check: collectives"});
    CHECK(outcome.took < std::chrono::seconds(20));
    const std::string said = refused_by_all(
        LaunchedRanks(trial, 2, disorder(name, true, sets({"run.name=launched_" + name}))));
    CAPTURE(said);
    CHECK(count(said, "error[") == 1);
    for (const std::string part :
         {"the ranks make different calls: call 3 of dp #", row.own, row.other, "after 3 steps"}) {
      CAPTURE(part);
      CHECK(contains(said, part));
    }
    CHECK(saved_steps(trial, "runs/" + name).empty());
  }
}

TEST_CASE("call order: run.check changes no number, and finds nothing where there is nothing") {
  const Trial trial;
  check_done(trial.run(3, disorder("nothing", true)));
  check_done(trial.run(3, disorder("nothing", false, sets({"run.name=unchecked"}))));
  CHECK(trial.numbers() == trial.numbers("runs/unchecked"));
  LaunchedRanks ranks(trial, 2, disorder("nothing", true, sets({"run.name=launched"})));
  for (const Outcome& o : ranks.wait()) check_done(o);
  check_done(trial.run(2, disorder("nothing", false, sets({"run.name=two"}))));
  CHECK(trial.numbers("runs/launched") == trial.numbers("runs/two"));
}

TEST_CASE("call order: without run.check, what hangs tells what each rank waits for") {
  const Trial trial;
  const Outcome outcome = trial.run(2, disorder("left_out", false));
  check_refused(outcome, 6, {"error[R0201]", "rank   step  unit  waits in"});
  // Rank 0 in the call that rank 1 has left out, rank 1 in one that it has come to without it.
  const std::regex waits(
      "\\n(\\[rank 1\\] )?     0      3     0  all_gather, dp #\\d +3 +32 +\\d\\.\\d s");
  CHECK_MESSAGE(std::regex_search(outcome.err, waits), outcome.err);
  CHECK(outcome.took < std::chrono::seconds(25));
  const Outcome other = trial.run(2, disorder("operation", false, sets({"run.name=other"})));
  check_refused(other, 6,
                {"error[R0201]", "the calls part: call 3 of dp #", kRows[0].own, kRows[0].other});
  CHECK(other.took < std::chrono::seconds(25));
}
