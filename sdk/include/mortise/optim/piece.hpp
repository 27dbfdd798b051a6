#pragma once

#include <mortise/c/optimizer.h>

#include <mortise/model/parameter.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// The part of one parameter that a rank owns.
///
/// Shapes: `master`, `gradient` and slots like the parameter are one-dimensional: the elements of
///         `box` in row order, then zeros up to a multiple of 16 (vectorised kernels treat the tail
///         of a tensor differently, and equal cuts give equal bits). box may be empty.
/// Types:  float32.
struct Piece {
  ParameterId parameter{};
  Box box{};
  at::Tensor master{}, gradient{};
  TensorList slots{};
};

/// What an optimizer step is told. `learning_rate`: 0-d float64, the optimizer's own rate times
/// the schedule's factor. `skip`: 0-d float32, 1 when the gradient norm is not finite, else 0;
/// both on the device, never to be read on the host.
struct StepInfo {
  std::int64_t step = 0;
  at::Tensor learning_rate{}, skip{};
};

namespace kit {
template <>
struct members<Piece> {
  MORTISE_MEMBERS(Piece, mt_piece);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(parameter), MORTISE_MEMBER(box), MORTISE_MEMBER(master),
                 MORTISE_MEMBER(gradient), MORTISE_MEMBER(slots)};
};
template <>
struct members<StepInfo> {
  MORTISE_MEMBERS(StepInfo, mt_step_info);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(step), MORTISE_MEMBER(learning_rate), MORTISE_MEMBER(skip)};
};
}  // namespace kit
}  // namespace mortise
