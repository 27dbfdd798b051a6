#pragma once

#include <ATen/Parallel.h>

#include <cmath>
#include <functional>

#include "tests/doctest_with_torch.hpp"
#include "tests/training/engine_run.hpp"
#include "tests/training/forked_ranks.hpp"

namespace mortise::tests {

inline SmallShape odd_shape() {
  SmallShape s;  // shards with no rows at 4 ranks, one key head, nothing divides
  s.vocabulary = 67, s.width = 30, s.layers = 2, s.heads = 5, s.kv_heads = 1, s.hidden = 77;
  return s;
}

inline TrainingCase named(const std::string& name,
                          const std::function<void(TrainingCase&)>& change = {}) {
  TrainingCase c;
  c.name = name;
  if (change) change(c);
  return c;
}

// Parameters, losses and gradients of the last step to the last bit, the latter where nothing was
// clipped; norms within 1e-12.
inline void require_equal(const TrainingCase& c, const TrainingResult& plain,
                          const TrainingResult& mine) {
  const auto require = [&](bool right, const std::string& what) {
    if (!right) throw std::runtime_error(c.name + ": " + what);
  };
  const std::int64_t n = differing(plain.parameters, mine.parameters);
  require(n == 0,
          std::to_string(n) + " elements differ after " + std::to_string(c.steps) + " steps");
  require(plain.losses == mine.losses, "losses differ");
  for (std::size_t i = 0; i != plain.gradients.size() && c.clip_norm == 0; ++i)
    require(differing({plain.gradients[i]}, {mine.gradients[i]}) == 0,
            "gradient " + std::to_string(i) + " differs");
  for (std::size_t s = 0; s != plain.norms.size(); ++s)
    require(std::abs(plain.norms[s] - mine.norms[s]) <= 1e-12 * plain.norms[s],
            "norms differ at step " + std::to_string(s));
}

// Every rank runs through the engine; the first compares with the plain loop in one process. Exit
// codes report.
inline void check_on_ranks(const TrainingCase& c, int size, bool crossed) {
  CAPTURE(c.name);
  CAPTURE(size);
  CAPTURE(crossed);
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(size, [&](int rank) {
    at::set_num_threads(1);
    const TrainingResult mine =
        train_through_engine(c, rank, size, crossed, folder.path() / "store");
    if (rank == 0) require_equal(c, train_plainly(c), mine);
  });
  for (const int code : codes) CHECK(code == 0);
}

}  // namespace mortise::tests
