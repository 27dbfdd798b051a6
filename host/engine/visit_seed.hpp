#pragma once

#include <cstdint>
#include <mortise/model/model.hpp>

namespace mortise::host {

// The 32 bits that the default generator starts from in one visit: a function of (run seed, step,
// micro-batch over all ranks, unit), so that recomputation repeats its draws and no layout changes
// them. CPU generators use the low 32 bits only.
std::uint32_t visit_seed(std::uint64_t run_seed, std::int64_t step, std::int64_t micro_batch,
                         std::int64_t unit);
// Seeds the default generators for a visit.
void seed_visit(std::uint64_t run_seed, std::int64_t step, const Visit& visit);

}  // namespace mortise::host
