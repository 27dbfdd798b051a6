// Plugins that crash: who did it stands on standard error and in the run folder, and the signal
// ends the process (plugin-host.md 4, X-05).

#include <doctest/doctest.h>

#include <csignal>

#include "tests/fault/faulty_run.hpp"

namespace {

using namespace mortise::tests;

const std::string kPlugin = "  plugin: org.mortise.test.faulty ";

void check_tells(const std::string& text, const Words& parts) {
  CAPTURE(text);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
}

}  // namespace

TEST_CASE("crash: of one rank, its plugin and call are named, its starter names the rank") {
  struct Row {
    const char *call, *how, *signal, *who;
  };
  for (const Row& row : {Row{"forward", "dereference", "signal 11 (SIGSEGV",
                             "faulty of org.mortise.test.faulty: apply: "},
                         Row{"forward", "dereference_in_thread", "signal 11 (SIGSEGV",
                             "a thread of plugin org.mortise.test.faulty: "}}) {
    CAPTURE(row.how);
    const Trial trial;
    Program program(trial.start(Words{"run", "run.yaml", "-n", "2"} +
                                with_fault({"layer_ops", row.call, row.how, 5, 1})));
    const Outcome outcome = program.wait();
    const std::string said = "error[P2005]: " + std::string(row.who) + row.signal;
    check_tells(outcome.err,
                {said, ", rank 1, after 5 steps", kPlugin + MORTISE_VERSION + " (",
                 fixture_plugin("faulty").string() + ", XXH3 ",
                 "error[R0202]: rank 1 was ended by signal 11 (Segmentation fault) after 5 steps"});
    CHECK(outcome.exit == 6);
    CHECK(outcome.took < std::chrono::seconds(20));
    CHECK(program.left_behind().empty());
    check_tells(trial.read("runs/tiny/crash-rank-00001.txt"), {said, kPlugin});
    CHECK_FALSE(trial.has("runs/tiny/crash-rank-00000.txt"));
    check_done(trial.run(
        1, Words{"--accept", "run.steps", "--accept", "layer_ops", "--accept", "observers"} +
               sets({"run.steps=5"})));
  }
}

TEST_CASE("crash: of a run alone, whatever the signal, it is raised again") {
  struct Row {
    const char *call, *how;
    int signal;
    Words parts;
  };
  const std::string who = "faulty of org.mortise.test.faulty: ";
  for (const Row& row :
       {Row{"after_step",
            "dereference",
            SIGSEGV,
            {who + "after_step: signal 11", ", after 0 steps"}},
        Row{"create", "dereference", SIGSEGV, {who + "create: signal 11"}},
        Row{"destroy", "dereference", SIGSEGV, {who + "destroy: signal 11"}},
        Row{"before_step", "abort", SIGABRT, {who + "before_step: signal 6 (SIGABRT"}},
        Row{"before_step", "endless", SIGSEGV, {who + "before_step: signal 11"}}}) {
    CAPTURE(row.call);
    CAPTURE(row.how);
    const Trial trial;
    const Outcome outcome = trial.run(
        1, with_fault({"observers", row.call, row.how}) + sets({"run.steps=2", "eval=null"}));
    CHECK(outcome.signal == row.signal);
    check_tells(outcome.err, row.parts + Words{"error[P2005]: ", kPlugin});
    CHECK_FALSE(contains(outcome.err, "rank"));
  }
}

TEST_CASE("crash: a plugin's thread that throws, and a call of exit, end with a plugin's code") {
  struct Row {
    const char *how, *text;
  };
  for (const Row& row :
       {Row{"throw_in_thread",
            "a thread of plugin org.mortise.test.faulty: threw std::out_of_range"},
        Row{"exit", "faulty of org.mortise.test.faulty: before_step: called exit"}}) {
    CAPTURE(row.how);
    const Trial trial;
    check_refused(trial.run(1, with_fault({"observers", "before_step", row.how, 1})), 3,
                  {"error[P2004]: ", row.text, "after 1 step", kPlugin});
  }
}
