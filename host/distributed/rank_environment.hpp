#pragma once

#include <cstdint>
#include <string>

namespace mortise::host {

// This process among the ranks of a run.
struct RankEnvironment {
  std::int64_t rank = 0, size = 1;
  std::int64_t local_rank = 0, local_size = 1;  // on this machine
  std::string master_address = "127.0.0.1";
  int master_port = 0;
  // The store lives in the process that started the ranks (run -n, torchrun), else in rank 0.
  bool store_is_elsewhere = false;
  bool launched() const { return size > 1 || master_port != 0; }
};

// Reads the variables of whoever has started this process: torchrun's (RANK, WORLD_SIZE,
// LOCAL_RANK, MASTER_ADDR, MASTER_PORT), which every other launcher may set too, else those of Open
// MPI, MPICH or a step of Slurm. Where these give no address or port: of ranks on one machine
// 127.0.0.1, of a step the first of its hosts, and a port that follows from the number of the job.
// Throws Failure (exit ranks) naming the variable when some are there and others are missing or
// senseless.
RankEnvironment rank_environment();

// In a script of sbatch one process runs, whatever number of tasks the job has. Throws Failure
// (exit ranks) with what to type where the job has several and nobody has started them;
// `has_number`: it is asked for local ranks (-n).
void refuse_batch_script(const std::string& command, bool has_number);

}  // namespace mortise::host
