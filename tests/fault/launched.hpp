#pragma once

#include <deque>

#include "tests/end_to_end/port.hpp"
#include "tests/fault/faulty_run.hpp"

namespace mortise::tests {

// The variables that a launcher gives to each rank.
using VariablesOfRank = Environment (*)(int rank, int ranks);

// Those of torchrun, with the store in rank 0.
inline Environment torchrun_variables(int rank, int ranks, int port) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(ranks)},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", std::to_string(port)}};
}

// Ranks as a launcher starts them, by default with torchrun's variables and the store in rank 0.
class LaunchedRanks {
 public:
  LaunchedRanks(const Trial& trial, int ranks, const Words& more, const Environment& all = {},
                VariablesOfRank variables = nullptr) {
    const int port = free_port();
    for (int rank = 0; rank != ranks; ++rank) {
      Environment own =
          variables != nullptr ? variables(rank, ranks) : torchrun_variables(rank, ranks, port);
      for (const auto& [name, value] : all) own[name] = value;
      ranks_.emplace_back(trial.start(Words{"run", "run.yaml"} + more, own));
    }
  }
  Program& operator[](int rank) { return ranks_[std::size_t(rank)]; }
  // Of all ranks, in order.
  std::vector<Outcome> wait() {
    std::vector<Outcome> all;
    for (Program& rank : ranks_) all.push_back(rank.wait());
    return all;
  }

 private:
  std::deque<Program> ranks_;
};

inline std::string errors_of(const std::vector<Outcome>& outcomes) {
  std::string all;
  for (const Outcome& o : outcomes) all += o.err;
  return all;
}

}  // namespace mortise::tests
