#pragma once

#include <mortise/c/model.h>

#include <mortise/kit/torch.hpp>
#include <string>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// Positions in the lists that a model gives; the extras of layer operations follow.
enum class LayerId : std::int64_t {};
enum class ParameterId : std::int64_t {};

/// What a parameter is for. Run files match on it: optimizer, weight decay, initialiser.
enum class Role : std::int32_t { matrix, embedding, head, norm, bias, scale, expert, other };
constexpr Role last_enumerator(Role) { return Role::other; }

/// What a dimension of a parameter means. `fused` dimensions hold several parts one after the
/// other, whose sizes stand in `fused_parts`.
enum class Axis : std::int64_t { out, in, heads, kv_heads, experts, vocabulary, fused, other };
constexpr Axis last_enumerator(Axis) { return Axis::other; }

/// One parameter of a model, as data. The model owns no storage.
///
/// `name` as Hugging Face has it; weights are [out, in]; query, key and value stand apart.
/// `units`: the units that use it, ascending; more than one means tied. `depth`: number of its
/// block, -1 for none. `master`: float32. `compute`: what layers see; a plan has the run's type.
/// `shard_axes`: mesh axes of its own (experts); empty: the run's. `starts_at_zero`: whatever the
/// run's initialiser does.
struct ParameterInfo {
  std::string name{};
  Shape shape{};
  std::vector<std::int64_t> units{};
  Role role = Role::matrix;
  std::vector<Axis> axes{};
  std::vector<std::int64_t> fused_parts{};
  std::int64_t depth = -1;
  DType master = DType::float32, compute = DType::float32;
  bool trainable = true;
  Names shard_axes{};
  bool starts_at_zero = false;
};

/// What becomes of several updates of a buffer in one step: that of the last micro-batch counts,
/// their mean, or the largest value of each element.
enum class Combine : std::int32_t { last, mean, max };
constexpr Combine last_enumerator(Combine) { return Combine::max; }

/// State that is not trained, such as running statistics: saved, never given to an optimizer.
///
/// The host keeps one value, equal on all ranks. UnitContext::update and OpCall::update offer a new
/// one in training visits; in others they do nothing. After the step all offers of the step, over
/// all micro-batches and ranks, are combined in the order of the micro-batches, in float64: the
/// same bits on every layout. Within a step everybody sees the value of its beginning. A skipped
/// step and a buffer without an offer change nothing. Every step gathers the offers from all ranks,
/// so buffers are for small things: scales, statistics, counters.
///
/// `unit`: the only one that reaches it. `initial`: first value; undefined: zeros.
struct BufferInfo {
  std::string name{};
  Shape shape{};
  DType dtype = DType::float32;
  std::int64_t unit = 0;
  Combine combine = Combine::last;
  at::Tensor initial{};
};

/// A declared layer: the seam that layer operations plug into. `op` is an operation id such as
/// `mortise.op/linear/1`; `attributes` change what the operation means, and a link that meets an
/// attribute which it does not know must not bind.
struct Layer {
  std::string name{}, op{};
  std::vector<ParameterId> parameters{};
  Values attributes{};
};

/// The tensor-parallel plan as data: how the layers that match a pattern are cut over ranks that
/// have the same micro-batches. `colwise`: a linear layer whose outputs are dealt out; `rowwise`:
/// one whose inputs are, as a colwise layer has left them, and whose outputs are summed;
/// `vocabulary`: an embedding or a head, cut by its ids; `replicate`: not cut, what a layer without
/// a rule is; `replicate_partial`: not cut, but between colwise and rowwise layers, so that each
/// rank has a part of its gradient (a norm of each head).
enum class Placement : std::int32_t { colwise, rowwise, vocabulary, replicate, replicate_partial };
constexpr Placement last_enumerator(Placement) { return Placement::replicate_partial; }

/// The first rule whose pattern matches a layer's name counts; in a pattern * stands for any text.
/// What goes into colwise layers and into a cut head comes from a layer of the operation `layout`
/// (Declaration::layout), and nothing else does.
///
/// `parts`: the dimension that is cut has so many equal parts that stay whole: heads. 0: its
/// elements. A colwise layer with fewer parts than ranks (keys and values) is computed by several.
struct PlacementRule {
  std::string layers{};
  Placement placement = Placement::replicate;
  std::int64_t parts = 0;
};

namespace kit {
template <>
struct members<ParameterInfo> {
  MORTISE_MEMBERS(ParameterInfo, mt_parameter);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(name),       MORTISE_MEMBER(shape),
                 MORTISE_MEMBER(units),      MORTISE_MEMBER(role),
                 MORTISE_MEMBER(axes),       MORTISE_MEMBER(fused_parts),
                 MORTISE_MEMBER(depth),      MORTISE_MEMBER(master),
                 MORTISE_MEMBER(compute),    MORTISE_MEMBER(trainable),
                 MORTISE_MEMBER(shard_axes), MORTISE_MEMBER(starts_at_zero).needs<0>()};
};
template <>
struct members<BufferInfo> {
  MORTISE_MEMBERS(BufferInfo, mt_buffer);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(name),
                                         MORTISE_MEMBER(shape),
                                         MORTISE_MEMBER(dtype),
                                         MORTISE_MEMBER(unit),
                                         MORTISE_MEMBER(combine).needs<0>(),
                                         MORTISE_MEMBER(initial).since()};
};
template <>
struct members<Layer> {
  MORTISE_MEMBERS(Layer, mt_layer);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(op),
                                         MORTISE_MEMBER(parameters), MORTISE_MEMBER(attributes)};
};
template <>
struct members<PlacementRule> {
  MORTISE_MEMBERS(PlacementRule, mt_placement_rule);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(layers), MORTISE_MEMBER(placement),
                                         MORTISE_MEMBER(parts).needs<0>()};
};
}  // namespace kit
}  // namespace mortise
