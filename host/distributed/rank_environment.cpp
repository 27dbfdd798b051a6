#include "host/distributed/rank_environment.hpp"

#include <cstdlib>
#include <stdexcept>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t number(const char* name, std::int64_t low) {
  const std::string text = variable(name);
  std::size_t used = 0;
  std::int64_t value = -1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
  }
  if (text.empty() || used != text.size() || value < low)
    throw Failure("R0101", Exit::ranks,
                  std::string("error[R0101]: environment variable ") + name + " is '" + text +
                      "': expected a number of at least " + std::to_string(low) +
                      ". A launcher (torchrun, mortise run -n) sets RANK, WORLD_SIZE, LOCAL_RANK, "
                      "MASTER_ADDR and MASTER_PORT together; unset them all to run alone");
  return value;
}
std::int64_t number_or(const char* name, std::int64_t low, std::int64_t other) {
  return variable(name).empty() ? other : number(name, low);
}

// The variables of a launcher. `job` is equal on all ranks and for no other job on the machine.
struct Launcher {
  const char *name, *rank, *size, *local_rank, *local_size;
  const char *job, *step, *hosts;  // or null
};
constexpr Launcher kTorchrun{"torchrun",         "RANK",  "WORLD_SIZE", "LOCAL_RANK",
                             "LOCAL_WORLD_SIZE", nullptr, nullptr,      nullptr};
constexpr Launcher kOthers[] = {
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE", nullptr, nullptr},
    {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", nullptr, nullptr,
     nullptr},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr, "SLURM_JOB_ID",
     "SLURM_STEP_ID", "SLURM_STEP_NODELIST"},
};

const Launcher* launcher() {
  if (!variable("RANK").empty() || !variable("WORLD_SIZE").empty()) return &kTorchrun;
  for (const Launcher& l : kOthers)
    if (!variable(l.rank).empty() && !variable(l.size).empty() && !variable(l.local_rank).empty())
      return &l;
  return nullptr;
}

// "node[07-09,12]", "node7,node8" → "node07", "node7"
std::string first_host(const std::string& hosts) {
  const std::size_t bracket = hosts.find('['), comma = hosts.find(',');
  if (bracket == std::string::npos || comma < bracket) return hosts.substr(0, comma);
  const std::size_t end = hosts.find_first_of(",-]", bracket);
  const std::size_t close = hosts.find(']', bracket), rest = hosts.find(',', close);
  if (end == std::string::npos || close == std::string::npos) return hosts;
  return hosts.substr(0, bracket) + hosts.substr(bracket + 1, end - bracket - 1) +
         hosts.substr(close + 1, rest == std::string::npos ? rest : rest - close - 1);
}

// Below the ports that systems give to connections (from 32768 on).
int port_of(const std::string& job) {
  std::uint32_t hash = 2166136261u;  // FNV-1a: equal on every machine
  for (const char c : job) hash = (hash ^ std::uint8_t(c)) * 16777619u;
  return int(10000 + hash % 20000);
}

[[noreturn]] void lacks(const Launcher& l, const std::string& variable_name,
                        const std::string& what) {
  throw Failure(
      "R0101", Exit::ranks,
      "error[R0101]: environment variable " + variable_name + " is not set: " + l.name + " tells " +
          std::string(what) + "; set it, equal for all ranks" +
          (l.rank == std::string("OMPI_COMM_WORLD_RANK") ? ": mpirun -x " + variable_name + "=…"
                                                         : ""));
}

std::string address_of(const Launcher& l, const RankEnvironment& ranks) {
  if (const std::string given = variable("MASTER_ADDR"); !given.empty()) return given;
  const bool torchrun = &l == &kTorchrun;
  if (torchrun || ranks.local_size == ranks.size) return "127.0.0.1";
  if (l.hosts != nullptr && !variable(l.hosts).empty()) return first_host(variable(l.hosts));
  lacks(l, "MASTER_ADDR", "no address of rank 0, which is on another machine than some ranks");
}

int port_for(const Launcher& l) {
  if (&l == &kTorchrun || !variable("MASTER_PORT").empty()) return int(number("MASTER_PORT", 1));
  if (l.job == nullptr || variable(l.job).empty())
    lacks(l, "MASTER_PORT", "no number of this job from which a port would follow");
  return port_of(variable(l.job) + "." + (l.step == nullptr ? "" : variable(l.step)));
}

std::int64_t local_size_of(const Launcher& l, std::int64_t size) {
  if (l.local_size != nullptr) return number_or(l.local_size, 1, 1);
  return number_or("SLURM_STEP_NUM_NODES", 1, 1) == 1 ? size : 1;
}

// An interactive step, in which a shell of salloc runs, is no step of tasks.
bool is_step_of_tasks() {
  const std::string step = variable("SLURM_STEP_ID");
  return !step.empty() && std::strtoul(step.c_str(), nullptr, 10) < 0xfffffff0ul;
}

}  // namespace

RankEnvironment rank_environment() {
  RankEnvironment ranks;
  const Launcher* found = launcher();
  if (found == nullptr || (found->step != nullptr && !is_step_of_tasks())) return ranks;
  const Launcher& l = *found;
  ranks.size = number(l.size, 1);
  ranks.rank = number(l.rank, 0);
  if (ranks.rank >= ranks.size)
    throw Failure("R0101", Exit::ranks,
                  std::string("error[R0101]: ") + l.rank + " is " + std::to_string(ranks.rank) +
                      " and " + l.size + " " + std::to_string(ranks.size) + ": expected " + l.rank +
                      " < " + l.size);
  ranks.local_rank = number_or(l.local_rank, 0, 0);
  ranks.local_size = local_size_of(l, ranks.size);
  if (&l != &kTorchrun && ranks.size == 1) return ranks;
  ranks.master_port = port_for(l);
  ranks.master_address = address_of(l, ranks);
  ranks.store_is_elsewhere = variable("TORCHELASTIC_USE_AGENT_STORE") == "True" ||
                             variable("MORTISE_STORE_IS_ELSEWHERE") == "1";
  return ranks;
}

void refuse_batch_script(const std::string& command, bool has_number) {
  if (launcher() != nullptr && rank_environment().launched()) return;
  if (variable("SLURM_JOB_ID").empty() || variable("SLURM_PROCID").empty()) return;
  if (is_step_of_tasks()) return;  // one task was asked for
  const std::int64_t tasks = number_or("SLURM_NTASKS", 1, 1),
                     nodes = number_or("SLURM_JOB_NUM_NODES", 1, 1);
  if (nodes == 1 && (tasks == 1 || has_number)) return;
  throw Failure(
      "R0108", Exit::ranks,
      "error[R0108]: job " + variable("SLURM_JOB_ID") + " of Slurm has " + std::to_string(tasks) +
          (tasks == 1 ? " task" : " tasks") + " on " + std::to_string(nodes) +
          (nodes == 1 ? " node" : " nodes") +
          ", and its script runs once, on the first node: its tasks are started by srun\n  to "
          "start them:            srun " +
          command +
          (nodes == 1 ? "\n  or without srun, here:    " + command + " -n " + std::to_string(tasks)
                      : ""));
}

}  // namespace mortise::host
