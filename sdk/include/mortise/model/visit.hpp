#pragma once

#include <mortise/c/model.h>

#include <cstdint>
#include <mortise/kit/structs.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Why a unit is visited. `recompute` is a forward pass that repeats one whose activations were
/// dropped. `decode` is inference with a cache: hidden and batch hold the new positions only, and
/// `attention` layers remember those before. A model that mixes positions elsewhere throws
/// Error(not_supported).
enum class Phase : std::int32_t { forward, recompute, backward, evaluate, decode };
constexpr Phase last_enumerator(Phase) { return Phase::decode; }

/// One visit of one unit by one micro-batch. `micro_batch` counts over the whole step and all
/// ranks; `next_unit` is what the engine visits next (-1: none), a hint for prefetching;
/// `last_of_step`: no later micro-batch of this step comes to this rank.
struct Visit {
  std::int64_t unit = 0, micro_batch = 0;
  Phase phase = Phase::forward;
  std::int64_t next_unit = -1;
  bool last_of_step = false;
};

namespace kit {
template <>
struct members<Visit> {
  MORTISE_MEMBERS(Visit, mt_visit);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(unit), MORTISE_MEMBER(micro_batch), MORTISE_MEMBER(phase),
                 MORTISE_MEMBER(next_unit), MORTISE_MEMBER(last_of_step)};
};
}  // namespace kit
}  // namespace mortise
