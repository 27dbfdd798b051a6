#pragma once

// An owner for one rank, the obvious way, with hooks for one fault each.

#include <ATen/ATen.h>

#include <mortise/parallel/gradient_norm.hpp>
#include <mortise/parallel/owner.hpp>

namespace mortise::tests {

class OneRankOwner final : public Owner {
 public:
  void plan(PlanBuilder& plan) override {
    infos_ = plan.parameters();
    const std::vector<Box> boxes = plan.boxes();
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      const std::int64_t size = pads ? (boxes[i].count() + 15) / 16 * 16 : boxes[i].count();
      pieces_.push_back({ParameterId(i), boxes[i], at::zeros({size}), at::zeros({size}), {}});
      leaves_.push_back(copies_once ? at::zeros(boxes[i].size) : front(pieces_[i].master, i));
      if (ParameterId(i) != leaves_out) plan.place(ParameterId(i), leaves_[i]);
    }
  }
  void begin_step(const StepPlan& step) override {
    if (!step.training || !begins) return;
    for (const Piece& p : pieces_) p.gradient.zero_();
  }
  void gradients_ready(const Visit& visit, Tensors gradients) override {
    std::size_t next = 0;
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      const auto& units = infos_[i].units;
      if (!infos_[i].trainable || std::find(units.begin(), units.end(), visit.unit) == units.end())
        continue;
      const at::Tensor& g = gradients[next++];
      if (g.defined() && (joins_uses || visit.unit == units.front()))
        front(pieces_[i].gradient, i).add_(g);
    }
  }
  void finish_gradients() override {}
  at::Tensor norm_part(double p) const override {
    TensorList gradients;
    for (const Piece& piece : pieces_) gradients.push_back(piece.gradient);
    const at::Tensor part = mortise::norm_part(gradients, p);
    if (narrow_norm) return part.to(at::kFloat);
    return rooted ? part.sqrt() : part;
  }
  std::vector<Piece> pieces() const override {
    std::vector<Piece> all = pieces_;
    if (forgets_a_piece) all.pop_back();
    return all;
  }

  ParameterId leaves_out{-1};
  bool pads = true, forgets_a_piece = false, begins = true, joins_uses = true;
  bool rooted = false, narrow_norm = false, copies_once = false;

 private:
  at::Tensor front(const at::Tensor& t, std::size_t i) const {
    return t.narrow(0, 0, pieces_[i].box.count()).view(infos_[i].shape);
  }
  std::vector<ParameterInfo> infos_;
  std::vector<Piece> pieces_;
  TensorList leaves_;
};

}  // namespace mortise::tests
