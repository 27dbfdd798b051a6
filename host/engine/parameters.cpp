#include "host/engine/parameters.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

#include "host/checkpoint/box.hpp"

namespace mortise::host {
namespace {

// The leaf that autograd sees: the model's own variable where it has one, on the owner's storage.
at::Tensor leaf_of(const Model& model, ParameterId id, const at::Tensor& placed, bool trainable) {
  at::Tensor leaf = model.leaf(id);
  if (leaf.defined())
    leaf.set_data(placed);
  else
    leaf = placed;
  return leaf.set_requires_grad(trainable);
}

// Initializers write to memory of the CPU.
template <class Fill>
void fill_on_cpu(const Piece& piece, Fill fill) {
  if (piece.master.is_cpu()) return fill(piece);
  Piece on_cpu = piece;
  on_cpu.master = at::zeros({piece.master.numel()}, at::kFloat);
  fill(on_cpu);
  piece.master.copy_(on_cpu.master);
}

void fill_whole(Initializer& initializer, const Piece& piece, const ParameterInfo& info,
                std::uint64_t seed) {
  Piece all{piece.parameter, whole_box(info.shape), {}, {}, {}};
  all.master = at::zeros({all.box.count()}, at::kFloat);
  initializer.fill(all, info, seed);
  at::Tensor master = piece.master;
  copy_common(all.box, all.master, piece.box, master);
}

}  // namespace

Parameters::Parameters(const LayerChains& chains, Model& model, Owner& owner, Plan& plan)
    : infos_(chains.parameters()), first_trainable_(first_trainable_unit(infos_)) {
  owner.plan(plan);
  pieces_ = owner.pieces();
  trainable_.resize(std::size_t(plan.units()));
  const std::vector<ParameterInfo> here = plan.parameters();
  const std::size_t own = model.parameters().size();
  for (std::size_t i = 0; i != infos_.size(); ++i) {
    leaves_.emplace_back();
    gives_gradient_.push_back(plan.gives_gradient(i));
    if (!plan.is_here(i)) continue;
    const at::Tensor& placed = plan.placed()[i];
    if (!placed.defined())
      throw Error(ErrorCode::failed, "the owner has placed no tensor for " + infos_[i].name);
    leaves_.back() = i < own ? leaf_of(model, ParameterId(i), placed, infos_[i].trainable)
                             : placed.set_requires_grad(infos_[i].trainable);
    if (!infos_[i].trainable) continue;
    for (const std::int64_t unit : here[i].units) trainable_.at(std::size_t(unit)).push_back(i);
  }
}

std::int64_t first_trainable_unit(const std::vector<ParameterInfo>& infos) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const ParameterInfo& info : infos)
    if (info.trainable && !info.units.empty()) first = std::min(first, info.units.front());
  return first;
}

std::int64_t Parameters::count() const {
  std::int64_t n = 0;
  for (const ParameterInfo& p : infos_) n += whole_box(p.shape).count();
  return n;
}

void Parameters::initialize(Initializer& initializer, std::uint64_t seed) const {
  const at::NoGradGuard no_grad;
  for (const Piece& piece : pieces_) {
    const ParameterInfo& info = infos_[std::size_t(piece.parameter)];
    if (piece.box.count() == 0) continue;
    if (info.starts_at_zero)
      piece.master.zero_();
    else
      fill_on_cpu(piece, [&](const Piece& p) {
        if (initializer.needs_whole(info))
          fill_whole(initializer, p, info, seed);
        else
          initializer.fill(p, info, seed);
      });
  }
}

TensorList Parameters::take_gradients(std::int64_t unit) const {
  TensorList gradients;
  for (const std::size_t i : trainable_of(unit)) {
    gradients.push_back(gives_gradient_[i] ? leaves_[i].grad() : at::Tensor());
    leaves_[i].mutable_grad().reset();
  }
  return gradients;
}

}  // namespace mortise::host
