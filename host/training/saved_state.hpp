#pragma once

#include "host/checkpoint/checkpoint_reader.hpp"
#include "host/checkpoint/checkpoint_writer.hpp"
#include "host/training/program.hpp"

namespace mortise::host {

// What this rank owns of a program, for a checkpoint: weights, optimizer slots, and the state of
// components that are Stateful. The tensors are their owners' own.
CheckpointContent content_of(ModelProgram& model, std::int64_t step);

// Puts a checkpoint into a program, whatever ranks wrote it. Throws Failure listing all names and
// shapes that differ; `allow_partial`: returns that list and loads the rest.
std::string load_into(ModelProgram& model, const Checkpoint& checkpoint, bool allow_partial);
// The weights alone, for inference.
void load_weights(Engine& engine, const Checkpoint& checkpoint);

}  // namespace mortise::host
