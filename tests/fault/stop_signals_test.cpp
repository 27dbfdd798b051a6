// Asked to stop by signals, whoever gets them.

#include <doctest/doctest.h>

#include <csignal>
#include <thread>

#include "tests/fault/faulty_run.hpp"
#include "tests/fault/terminal.hpp"

namespace {

using namespace mortise::tests;

constexpr char kControlC = '\x03';

Words named(const std::string& name) { return sets({"run.steps=20", "run.name=" + name}); }

// The run has stopped by itself after the signal of step 6, with one complete checkpoint of the
// step where it stands.
int check_stopped(const Trial& trial, const Outcome& outcome, const std::string& name) {
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 75);
  CHECK(outcome.err == "");
  const int step = std::stoi("0" + rest_of_line(outcome.out, "stopped at step "));
  CHECK(step >= 7);
  CHECK(step <= 9);
  CHECK(trial.metrics("runs/" + name).back()["step"] == step);
  CHECK(saved_steps(trial, "runs/" + name).back() == step);
  CHECK(half_checkpoints(trial, "runs/" + name).empty());
  return step;
}

}  // namespace

TEST_CASE("stop signals: whoever gets one, all ranks stop at one step and go on exactly (R-12)") {
  const Trial trial;
  check_done(trial.run(2, with_faulty_plugin() + named("whole")));
  const Words whole = trial.numbers("runs/whole");
  struct Row {
    const char* how;
    int rank;
  };
  for (const Row& row : {Row{"ask", 0}, Row{"ask", 1}, Row{"ask_with_user_signal", 1},
                         Row{"ask_starter", 0}, Row{"ask_all", -1}}) {
    CAPTURE(row.how);
    CAPTURE(row.rank);
    const std::string name = std::string(row.how) + std::to_string(row.rank + 1);
    const Outcome stopped =
        trial.run(2, with_fault({"observers", "after_step", row.how, 6, row.rank}) + named(name));
    const int step = check_stopped(trial, stopped, name);
    const Outcome more =
        trial.run(2, Words{"--resume", "latest"} + with_faulty_plugin() + named(name));
    check_done(more);
    CHECK(contains(more.said(), "goes on at step " + std::to_string(step)));
    // The evaluation at the start of the second part stands there once more.
    Words numbers = trial.numbers("runs/" + name);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::erase_if(numbers, [&](const std::string& n) {
      return n.rfind(std::to_string(step) + " eval/", 0) == 0;
    });
    Words expected = whole;
    std::erase_if(expected, [&](const std::string& n) {
      return n.rfind(std::to_string(step) + " eval/", 0) == 0;
    });
    std::sort(expected.begin(), expected.end());
    CHECK(numbers == expected);
  }
}

TEST_CASE("stop signals: a second one to a rank stops all at once, the last checkpoint loads") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    Program program(trial.start(Words{"run", "run.yaml", "-n", std::to_string(ranks)} +
                                with_fault({"observers", "after_step", "ask_twice", 6, ranks - 1}) +
                                named("tiny")));
    const Outcome outcome = program.wait();
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 128 + SIGTERM);
    CHECK_FALSE(contains(outcome.err, "error["));
    CHECK(count(outcome.err, "stopped at once by signal 15") == 1);
    CHECK(program.left_behind().empty());
    CHECK(saved_steps(trial) == std::vector<int>{4});
    CHECK(half_checkpoints(trial).empty());
    const Outcome more = trial.run(ranks, Words{"--accept", "observers"} + named("tiny"));
    check_done(more);
    CHECK(contains(more.said(), "goes on at step 4"));
  }
}

TEST_CASE("stop signals: Ctrl-C on a terminal saves, a second one stops at once") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    const Program::Start start =
        trial.start(Words{"run", "run.yaml", "-n", std::to_string(ranks)} + sets({"run.steps=1M"}));
    Terminal terminal(start);
    REQUIRE(terminal.shows("saved step 4"));
    terminal.press(kControlC);
    const Outcome outcome = terminal.wait();
    CAPTURE(outcome.out);
    CHECK(outcome.exit == 75);
    CHECK(contains(outcome.out, "to go on:"));
    CHECK(half_checkpoints(trial).empty());

    Program::Start slow = start;  // a step of many seconds
    slow.command = slow.command + sets({"batch.sequences=32768", "run.name=slow"});
    Terminal again(slow);
    REQUIRE(again.shows("eval held_out"));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    again.press(kControlC);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    again.press(kControlC);
    CHECK(again.wait().exit == 128 + SIGINT);
  }
}
