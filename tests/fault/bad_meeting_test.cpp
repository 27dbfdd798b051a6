// Ranks that cannot meet, meet late, or should not meet: wrong addresses, clocks that differ,
// plugins of two builds.

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "tests/fault/launched.hpp"

namespace {

using namespace mortise::tests;

// Of ranks that end by themselves: the same numbers as two local ones.
void check_like_local(const Trial& trial, LaunchedRanks& ranks, const std::string& name) {
  for (const Outcome& outcome : ranks.wait()) check_done(outcome);
  CHECK(trial.numbers("runs/" + name) == trial.numbers());
}

Environment rank_of_two(int rank, const std::string& address, int port) {
  Environment variables = torchrun_variables(rank, 2, port);
  variables["MASTER_ADDR"] = address;
  return variables;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace

TEST_CASE(
    "bad meeting: an address where nobody is ends the rank within the time-out and names it") {
  const Trial trial;
  struct Row {
    const char* address;
    std::string id, text;
  };
  const int port = free_port();
  const std::string at = ":" + std::to_string(port);
  for (const Row& row : {Row{"127.0.0.1", "R0102", "cannot reach the rendezvous at 127.0.0.1" + at},
                         Row{"192.0.2.1", "R0102", "cannot reach the rendezvous at 192.0.2.1" + at},
                         Row{"no-such-machine.invalid", "R0107", "'no-such-machine.invalid'"},
                         Row{"not a name", "R0107", "'not a name'"}}) {
    CAPTURE(row.address);
    const Outcome outcome = trial.mortise(Words{"run", "run.yaml"} + sets({"run.timeout=1s"}),
                                          rank_of_two(1, row.address, port));
    check_refused(outcome, 6, {row.id, row.text, "MASTER_ADDR"});
    CHECK(outcome.took < std::chrono::seconds(20));
  }
  CHECK_FALSE(trial.has("runs"));
}

TEST_CASE("bad meeting: whoever serves something else at the port is no store") {
  const Trial trial;
  const TakenPort taken;
  const Words run = Words{"run", "run.yaml"} + sets({"run.timeout=2s"});
  check_refused(trial.mortise(run, rank_of_two(0, "127.0.0.1", taken.number())), 6,
                {"R0102", "taken", "MASTER_PORT"});
  const Outcome outcome = trial.mortise(run, rank_of_two(1, "127.0.0.1", taken.number()));
  check_refused(outcome, 6, {"R0102", std::to_string(taken.number())});
  CHECK(outcome.took < std::chrono::seconds(20));
}

TEST_CASE("bad meeting: ranks that start one after the other wait for each other") {
  const Trial trial;
  check_done(trial.run(2));
  for (const int first : {0, 1}) {
    CAPTURE(first);
    const int port = free_port();
    const std::string name = "late" + std::to_string(first);
    const auto start = [&](int rank) {
      return trial.start(Words{"run", "run.yaml"} + sets({"run.name=" + name}),
                         rank_of_two(rank, "127.0.0.1", port));
    };
    Program early(start(first));
    std::this_thread::sleep_for(std::chrono::seconds(3));
    Program late(start(1 - first));
    check_done(early.wait());
    check_done(late.wait());
    CHECK(trial.numbers("runs/" + name) == trial.numbers());
  }
}

TEST_CASE("bad meeting: clocks that differ by hours change nothing") {
  const Trial trial;
  check_done(trial.run(2));
  LaunchedRanks ranks(trial, 2, sets({"run.name=clocks", "run.check=collectives"}),
                      {{"LD_PRELOAD", std::string(MORTISE_BUILD_DIR) + "/tests/other_clock.so"},
                       {"MORTISE_TEST_CLOCK_OF_RANK", "1:+17000"}});
  check_like_local(trial, ranks, "clocks");
}

TEST_CASE("bad meeting: plugins of two builds are refused, with rank and digest") {
  const Trial trial;
  const auto plugin = fixture_plugin("faulty");
  std::string other = bytes_of(plugin);
  other += "of another build";
  trial.write("other/mortise_faulty.so", other);
  const int port = free_port();
  const auto start = [&](int rank, const std::string& file) {
    return trial.start(Words{"run", "run.yaml", "--plugin", file} +
                           sets({"observers={use: faulty}", "run.timeout=20s"}),
                       rank_of_two(rank, "127.0.0.1", port));
  };
  Program one(start(0, plugin.string())), two(start(1, trial.path("other/mortise_faulty.so")));
  const std::vector<Outcome> all{one.wait(), two.wait()};
  for (const Outcome& o : all) CHECK(o.exit == 6);
  const std::string said = errors_of(all);
  CAPTURE(said);
  CHECK(count(said, "error[") == 1);
  CHECK(contains(said, "error[R0104]"));
  CHECK(contains(said, "rank 1 has plugins `org.mortise.test.faulty "));
  CHECK_FALSE(trial.has("runs"));
}
