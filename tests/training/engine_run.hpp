#pragma once

#include <filesystem>

#include "tests/training/plain_loop.hpp"

namespace mortise::tests {

// Runs the case through the engine as rank `rank` of `size`, with the owner from its plugin file.
// crossed: model, loss, optimizer and owner are reached through their tables. Collective; every
// rank gets the result.
TrainingResult train_through_engine(const TrainingCase& c, int rank, int size, bool crossed,
                                    const std::filesystem::path& store);

// Number of elements that differ in any bit.
std::int64_t differing(const TensorList& a, const TensorList& b);

}  // namespace mortise::tests
