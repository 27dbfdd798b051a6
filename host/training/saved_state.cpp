#include "host/training/saved_state.hpp"

#include "host/checkpoint/box.hpp"

namespace mortise::host {
namespace {

// A slot as a tensor of its own: like its parameter, or whole on every rank.
SavedTensor saved(const SlotState& s, const ParameterInfo& info) {
  if (s.slot.like == SlotLike::parameter) return {s.name, info.shape, s.piece.box, s.value};
  const Shape shape(s.value.sizes().begin(), s.value.sizes().end());
  return {s.name, shape, whole_box(shape), s.value.reshape({-1})};
}

std::vector<SavedTensor> weights_of(Engine& engine) {
  std::vector<SavedTensor> all;
  for (const Piece& p : engine.parameters().pieces()) {
    const ParameterInfo& info = engine.parameters().infos()[std::size_t(p.parameter)];
    all.push_back({info.name, info.shape, p.box, p.master});
  }
  return all;
}

std::vector<SavedTensor> slots_of(Engine& engine) {
  std::vector<SavedTensor> all;
  for (const SlotState& s : engine.optimizers().slots())
    all.push_back(saved(s, engine.parameters().infos()[std::size_t(s.piece.parameter)]));
  return all;
}

std::string load(SavedGroup group, const std::vector<SavedTensor>& mine,
                 const Checkpoint& checkpoint, bool allow_partial) {
  std::vector<ExpectedTensor> expected;
  for (const SavedTensor& t : mine) expected.push_back({t.name, t.shape, t.values.scalar_type()});
  if (!allow_partial) checkpoint.require_same(group, expected);
  const CheckpointDifference difference = checkpoint.compare(group, expected);
  for (const SavedTensor& t : mine) {
    if (!checkpoint.has(t.name) || checkpoint.tensors().at(t.name).shape != t.shape) continue;
    at::Tensor to = t.values;
    checkpoint.read_into(t.name, t.box, to);
  }
  return difference.empty() ? "" : difference.text();
}

}  // namespace

CheckpointContent content_of(Engine& engine, std::int64_t step) {
  return {step, weights_of(engine), slots_of(engine)};
}

std::string load_into(Engine& engine, const Checkpoint& checkpoint, bool optimizer,
                      bool allow_partial) {
  std::string differences =
      load(SavedGroup::weights, weights_of(engine), checkpoint, allow_partial);
  if (optimizer)
    differences += load(SavedGroup::optimizer, slots_of(engine), checkpoint, allow_partial);
  return differences;
}

}  // namespace mortise::host
