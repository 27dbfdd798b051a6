#include "host/engine/optimizers.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <array>

#include "host/checkpoint/box.hpp"

namespace mortise::host {
namespace {

constexpr std::array<std::string_view, 8> kRoles = {"matrix", "embedding", "head",   "norm",
                                                    "bias",   "scale",     "expert", "other"};

bool wants(const OptimizerBinding& binding, const ParameterInfo& info) {
  if (binding.patterns.empty()) return true;
  for (const std::string& p : binding.patterns)
    if (p == name_of(info.role) || matches(p, info.name)) return true;
  return false;
}

void check_patterns(const OptimizerBinding& binding, const std::vector<ParameterInfo>& infos) {
  for (const std::string& pattern : binding.patterns) {
    OptimizerBinding one = binding;
    one.patterns = {pattern};
    bool found = false;
    for (const ParameterInfo& info : infos) found = found || wants(one, info);
    if (!found)
      throw ConfigError("optimizer " + binding.name + ": parameters: '" + pattern +
                        "' is no role and matches no parameter of the model");
  }
}

// The tensor that a slot is part of, and which part belongs to `box` of its parameter.
struct Extent {
  Shape shape;
  Box box;
};

Extent extent_of(const Slot& slot, const Shape& shape, const Box& box) {
  const auto dimension = [&](std::size_t d) {
    if (d >= shape.size()) return Extent{{1}, whole_box({1})};
    return Extent{{shape[d]}, {{box.offset[d]}, {box.size[d]}}};
  };
  switch (slot.like) {
    case SlotLike::parameter:
      return {shape, box};
    case SlotLike::row:
      return dimension(0);
    case SlotLike::column:
      return dimension(1);
    case SlotLike::scalar:
      return {{}, {}};
    case SlotLike::own:
      return {slot.shape, whole_box(slot.shape)};
  }
  throw Error(ErrorCode::not_supported,
              "slot " + slot.name + " has a shape that this host does not know");
}

at::Tensor make_slot(const Slot& slot, const Piece& piece, const Extent& extent) {
  const auto type = slot.dtype == DType::float64 ? at::kDouble : at::kFloat;
  if (slot.like == SlotLike::parameter) return at::zeros_like(piece.master, type);
  return at::zeros(extent.box.size, piece.master.options().dtype(type));
}

// Of a parameter that one rank steps whole, the others hold nothing: no box of theirs may cover
// what that rank saves. A single number therefore gets a dimension.
void belongs_to_stepper(const Piece& piece, SlotState& slot) {
  if (slot.shape.empty()) {
    slot.shape = {1};
    slot.box = whole_box({1});
  }
  if (piece.box.count() == 0) slot.box = {Shape(slot.shape.size()), Shape(slot.shape.size())};
}

}  // namespace

std::string_view name_of(Role role) { return kRoles.at(std::size_t(role)); }

Optimizers::Optimizers(std::vector<OptimizerBinding> bindings, const Parameters& parameters,
                       Communicator& group) {
  for (OptimizerBinding& b : bindings) {
    check_patterns(b, parameters.infos());
    groups_.push_back({std::move(b), {}, {}, WholeMatrices(group)});
  }
  if (groups_.empty()) return;
  std::string left;
  for (const Piece& piece : parameters.pieces()) {
    const ParameterInfo& info = parameters.infos()[std::size_t(piece.parameter)];
    if (!info.trainable) continue;
    Group* taker = nullptr;
    for (Group& g : groups_)
      if (taker == nullptr && wants(g.binding, info)) taker = &g;
    if (taker == nullptr)
      left += (left.empty() ? "" : ", ") + info.name;
    else
      give(*taker, piece, info);
  }
  if (!left.empty())
    throw ConfigError("optimizer: no optimizer takes " + left +
                      ": give one of them no `parameters:`, so that it takes the rest");
}

void Optimizers::give(Group& group, const Piece& piece, const ParameterInfo& info) {
  const std::optional<SlotPlan> plan = group.binding.optimizer->slots(piece.parameter, info);
  if (!plan) return;
  Piece mine = plan->whole_matrix ? group.whole.add(piece, info) : piece;
  for (const Slot& slot : plan->slots) {
    const Extent extent = extent_of(slot, info.shape, mine.box);
    mine.slots.push_back(make_slot(slot, mine, extent));
    group.slots.push_back({group.binding.name + "." + slot.name + "/" + info.name, mine, slot,
                           extent.shape, extent.box, mine.slots.back()});
    if (plan->whole_matrix) belongs_to_stepper(mine, group.slots.back());
  }
  if (mine.box.count() > 0 || !plan->whole_matrix) group.pieces.push_back(std::move(mine));
}

void Optimizers::step(std::int64_t step, double factor, const at::Tensor& skip) {
  const at::NoGradGuard no_grad;
  for (Group& g : groups_) {
    const at::Tensor rate = at::scalar_tensor(g.binding.learning_rate * factor, at::kDouble);
    g.whole.bring();
    g.binding.optimizer->step(g.pieces, {step, rate, skip});
    g.whole.spread();
  }
}

std::vector<SlotState> Optimizers::slots() const {
  std::vector<SlotState> all;
  for (const Group& g : groups_) all.insert(all.end(), g.slots.begin(), g.slots.end());
  return all;
}

}  // namespace mortise::host
