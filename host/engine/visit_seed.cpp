#include "host/engine/visit_seed.hpp"

#include <ATen/Context.h>

#include <mortise/random.hpp>

namespace mortise::host {

std::uint32_t visit_seed(std::uint64_t run_seed, std::int64_t step, std::int64_t micro_batch,
                         std::int64_t unit) {
  const std::uint64_t key = random::key_of(run_seed, "visit");
  return random::philox({std::uint32_t(step), std::uint32_t(std::uint64_t(step) >> 32),
                         std::uint32_t(micro_batch), std::uint32_t(unit)},
                        {std::uint32_t(key), std::uint32_t(key >> 32)})[0];
}

void seed_visit(std::uint64_t run_seed, std::int64_t step, const Visit& visit) {
  at::manual_seed(visit_seed(run_seed, step, visit.micro_batch, visit.unit));
}

}  // namespace mortise::host
