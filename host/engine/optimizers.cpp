#include "host/engine/optimizers.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <array>

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

at::Tensor make_slot(const Slot& slot, const Piece& piece) {
  const auto type = slot.dtype == DType::float64 ? at::kDouble : at::kFloat;
  const auto extent = [&](std::size_t d) {
    return d < piece.box.size.size() ? piece.box.size[d] : 1;
  };
  switch (slot.like) {
    case SlotLike::parameter:
      return at::zeros_like(piece.master, type);
    case SlotLike::row:
      return at::zeros({extent(0)}, type);
    case SlotLike::column:
      return at::zeros({extent(1)}, type);
    case SlotLike::scalar:
      return at::zeros({}, type);
    case SlotLike::own:
      return at::zeros(slot.shape, type);
  }
  throw Error(ErrorCode::not_supported,
              "slot " + slot.name + " has a shape that this host does not know");
}

}  // namespace

std::string_view name_of(Role role) { return kRoles.at(std::size_t(role)); }

Optimizers::Optimizers(std::vector<OptimizerBinding> bindings, const Parameters& parameters) {
  for (OptimizerBinding& b : bindings) {
    check_patterns(b, parameters.infos());
    groups_.push_back({std::move(b), {}, {}});
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
  if (plan->whole_matrix)
    throw ConfigError("optimizer " + group.binding.name + " wants " + info.name +
                      " whole on one rank, which this version cannot give");
  Piece mine = piece;
  for (const Slot& slot : plan->slots) {
    mine.slots.push_back(make_slot(slot, piece));
    group.slots.push_back(
        {group.binding.name + "." + slot.name + "/" + info.name, piece, slot, mine.slots.back()});
  }
  group.pieces.push_back(std::move(mine));
}

void Optimizers::step(std::int64_t step, double factor, const at::Tensor& skip) {
  const at::NoGradGuard no_grad;
  for (Group& g : groups_) {
    const at::Tensor rate = at::scalar_tensor(g.binding.learning_rate * factor, at::kDouble);
    g.binding.optimizer->step(g.pieces, {step, rate, skip});
  }
}

std::vector<SlotState> Optimizers::slots() const {
  std::vector<SlotState> all;
  for (const Group& g : groups_) all.insert(all.end(), g.slots.begin(), g.slots.end());
  return all;
}

}  // namespace mortise::host
