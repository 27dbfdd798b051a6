#pragma once

#include "host/checkpoint/checkpoint_reader.hpp"
#include "host/checkpoint/checkpoint_writer.hpp"
#include "host/engine/engine.hpp"

namespace mortise::host {

// What this rank owns of an engine, for a checkpoint. The tensors are the engine's own.
CheckpointContent content_of(Engine& engine, std::int64_t step);

// Puts the weights, and with `optimizer` the slots, of a checkpoint into an engine, whatever ranks
// wrote it. Throws Failure listing all names and shapes that differ; `allow_partial`: returns that
// list and loads the rest.
std::string load_into(Engine& engine, const Checkpoint& checkpoint, bool optimizer,
                      bool allow_partial);

}  // namespace mortise::host
