#pragma once

#include <random>

#include "tests/training/plain_loop.hpp"

namespace mortise::tests {

// Axes and their sizes, the slowest first.
using MeshShape = std::vector<std::pair<std::string, std::int64_t>>;

std::int64_t ranks_of(const MeshShape& mesh);
// "pp 2 x dp 2"
std::string text_of(const MeshShape& mesh);

// A small model, a batch and settings, drawn for a mesh: a pipeline where it has stages, the probe
// ring_attention where ranks share sequences (one step then, no dropout). The same for the same
// seed. What was drawn stands in the case's name.
TrainingCase random_case(const MeshShape& mesh, std::uint64_t seed);

}  // namespace mortise::tests
