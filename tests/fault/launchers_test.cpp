// Ranks by the variables of other launchers; the launchers themselves: real_launchers_test.

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>

#include "tests/fault/launched.hpp"

namespace {

using namespace mortise::tests;

// Of this test alone, so that the ports which follow from them differ between tests at once.
std::string job() { return std::to_string(getpid()); }

Environment of_srun(int rank, int ranks) {
  return {{"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_LOCALID", std::to_string(rank)},
          {"SLURM_STEP_NUM_TASKS", std::to_string(ranks)},
          {"SLURM_NTASKS", std::to_string(ranks)},
          {"SLURM_STEP_NUM_NODES", "1"},
          {"SLURM_STEP_NODELIST", "no-such-machine"},  // nobody asks for it on one node
          {"SLURM_JOB_ID", job()},
          {"SLURM_STEP_ID", "0"}};
}
Environment of_open_mpi(int rank, int ranks) {
  return {{"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
          {"OMPI_COMM_WORLD_SIZE", std::to_string(ranks)},
          {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank)},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(ranks)},
          {"PMIX_NAMESPACE", job() + "1"}};
}
Environment of_mpich(int rank, int ranks) {
  return {{"PMI_RANK", std::to_string(rank)},
          {"PMI_SIZE", std::to_string(ranks)},
          {"MPI_LOCALRANKID", std::to_string(rank)},
          {"MPI_LOCALNRANKS", std::to_string(ranks)}};
}
Environment in_batch_script(const char* tasks, const char* nodes) {
  return {{"SLURM_JOB_ID", job()},
          {"SLURM_PROCID", "0"},
          {"SLURM_LOCALID", "0"},
          {"SLURM_NTASKS", tasks},
          {"SLURM_JOB_NUM_NODES", nodes}};
}

Words without_repeats(Words numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

TEST_CASE("launchers: srun, Open MPI and MPICH give the result of run -n") {
  const Trial trial;
  check_done(trial.run(2));
  const Words expected = trial.numbers();
  struct Row {
    const char* name;
    VariablesOfRank variables;
  };
  for (const Row& row :
       {Row{"srun", of_srun}, Row{"open_mpi", of_open_mpi}, Row{"mpich", of_mpich}}) {
    CAPTURE(row.name);
    Environment all;
    if (row.variables == of_mpich) all["MASTER_PORT"] = std::to_string(free_port());
    LaunchedRanks ranks(trial, 2, sets({"run.name=" + std::string(row.name)}), all, row.variables);
    for (const Outcome& outcome : ranks.wait()) check_done(outcome);
    CHECK(trial.numbers("runs/" + std::string(row.name)) == expected);
  }
}

TEST_CASE("launchers: what they do not tell is asked for") {
  const Trial trial;
  Environment apart = of_open_mpi(1, 2);
  apart["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";
  check_refused(trial.mortise({"run", "run.yaml"}, apart), 6,
                {"R0101", "MASTER_ADDR", "mpirun -x MASTER_ADDR"});
  check_refused(trial.mortise({"run", "run.yaml"}, of_mpich(1, 2)), 6, {"R0101", "MASTER_PORT"});
  Environment wrong = of_srun(2, 2);
  check_refused(trial.mortise({"run", "run.yaml"}, wrong), 6,
                {"R0101", "SLURM_PROCID is 2", "SLURM_STEP_NUM_TASKS 2"});
  wrong["SLURM_PROCID"] = "first";
  check_refused(trial.mortise({"run", "run.yaml"}, wrong), 6, {"R0101", "SLURM_PROCID is 'first'"});
  CHECK_FALSE(trial.has("runs"));
}

TEST_CASE("launchers: of a step on several nodes the first one has the store") {
  const Trial trial;
  for (const auto& [hosts, first] : {std::pair{"no-such[07-09,12]-gpu", "'no-such07-gpu'"},
                                     {"no-such3,no-such4", "'no-such3'"},
                                     {"no-such[1,5],no-such-too", "'no-such1'"}}) {
    CAPTURE(hosts);
    Environment step = of_srun(1, 2);
    step["SLURM_STEP_NUM_NODES"] = "2";
    step["SLURM_STEP_NODELIST"] = hosts;
    const Outcome outcome =
        trial.mortise(Words{"run", "run.yaml"} + sets({"run.timeout=1s"}), step);
    check_refused(outcome, 6, {"R0107", "MASTER_ADDR", first, "does not resolve"});
    CHECK(outcome.took < std::chrono::seconds(30));
  }
}

TEST_CASE("launchers: the script of sbatch without srun is refused, with what to type") {
  const Trial trial;
  const Words plain{"run", "run.yaml", "--set", "run.steps=2"};
  check_refused(trial.mortise(plain, in_batch_script("4", "1")), 6,
                {"R0108", "4 tasks on 1 node", "srun mortise run run.yaml --set run.steps=2",
                 "mortise run run.yaml --set run.steps=2 -n 4"});
  check_refused(trial.mortise(plain + Words{"-n", "2"}, in_batch_script("2", "2")), 6,
                {"R0108", "2 tasks on 2 nodes", "srun mortise run run.yaml --set run.steps=2"});
  Environment interactive = in_batch_script("4", "1");
  interactive["SLURM_STEP_ID"] = "4294967290";
  interactive["SLURM_STEP_NUM_TASKS"] = "1";
  check_refused(trial.mortise(plain, interactive), 6, {"R0108"});
  CHECK_FALSE(trial.has("runs"));

  check_done(trial.mortise(plain, in_batch_script("1", "1")));
  check_done(trial.mortise(plain + Words{"-n", "2", "--set", "run.name=local"},
                           in_batch_script("2", "1")));
  CHECK(trial.numbers() == trial.numbers("runs/local"));
  Environment one_task = in_batch_script("4", "2");  // srun -n 1
  for (const auto& [name, value] : of_srun(0, 1)) one_task[name] = value;
  check_done(trial.mortise(plain + Words{"--set", "run.name=one"}, one_task));
}

TEST_CASE("launchers: --max-restarts goes on from the last checkpoint, counts and says so") {
  const Trial trial;
  check_done(trial.run(2, with_faulty_plugin()));
  const Words whole = without_repeats(trial.numbers());
  const auto fault = [](const char* how) {
    return with_fault({"layer_ops", "forward", how, 6, 1});
  };
  const Outcome once = trial.run(2, fault("kill_once") + Words{"--max-restarts", "2", "--new"});
  CAPTURE(once.err);
  CHECK(once.exit == 0);
  CHECK(count(once.err, "rank 1 was ended by signal 9") == 1);
  CHECK(contains(once.err, "restart 1 of 2: "));
  CHECK_FALSE(contains(once.err, "restart 2"));
  CHECK(contains(once.said(), "goes on at step 4"));
  CHECK(trial.names("runs") == Words{"tiny", "tiny-2"});
  CHECK(without_repeats(trial.numbers("runs/tiny-2")) == whole);

  const Outcome often =
      trial.run(2, fault("kill") + Words{"--max-restarts=2"} + sets({"run.name=often"}));
  CAPTURE(often.err);
  CHECK(often.exit == 6);
  CHECK(count(often.err, "rank 1 was ended by signal 9") == 3);
  CHECK(contains(often.err, "restart 2 of 2: "));
  CHECK(contains(often.err, "not started again: 2 restarts are used up"));
  CHECK(saved_steps(trial, "runs/often") == std::vector<int>{4});
  CHECK(half_checkpoints(trial, "runs/often").empty());
}

TEST_CASE("launchers: --max-restarts does not start again what was stopped, or is wrong") {
  const Trial trial;
  const Words restarts{"--max-restarts", "2"};
  const Outcome stopped =
      trial.run(1, with_fault({"observers", "after_step", "ask", 6}) + restarts);
  CHECK(stopped.exit == 75);
  CHECK(contains(stopped.out, "mortise run run.yaml -n 1"));
  CHECK(contains(stopped.out, "--max-restarts 2"));
  CHECK_FALSE(contains(stopped.err, "restart"));
  const Outcome thrown = trial.run(
      2, with_fault({"layer_ops", "forward", "standard", 2, 1}) + restarts + sets({"run.name=b"}));
  CHECK(thrown.exit == 3);
  CHECK_FALSE(contains(thrown.err, "restart"));
  check_refused(trial.run(2, {"--max-restarts", "often"}), 2, {"C0902", "--max-restarts"});
  check_refused(trial.mortise(Words{"run", "run.yaml"} + restarts, of_srun(0, 2)), 2,
                {"C0905", "launcher"});
}
