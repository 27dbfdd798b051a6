#include "host/training/finite_watch.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

namespace mortise::host {
namespace {

bool is_finite(const at::Tensor& tensor) {
  const at::NoGradGuard no_grad;
  return !tensor.defined() || !tensor.is_floating_point() || tensor.numel() == 0 ||
         at::isfinite(tensor).all().item<bool>();
}

// The first row of dimension 0 that is not finite; -1 where all are, or there are no rows.
std::int64_t first_row(const at::Tensor& tensor) {
  const std::int64_t rows = tensor.dim() > 1 ? tensor.size(0) : 0;
  std::int64_t first = -1, bad = 0;
  for (std::int64_t row = 0; row != rows; ++row) {
    if (is_finite(tensor[row])) continue;
    if (bad++ == 0) first = row;
  }
  return bad == rows ? -1 : first;
}

bool is_training(const Visit& visit) {
  return visit.phase == Phase::forward || visit.phase == Phase::recompute;
}

}  // namespace

class FiniteWatch::WatchedModel final : public Model {
 public:
  WatchedModel(Model& inner, FiniteWatch& watch) : inner_(inner), watch_(watch) {}
  std::vector<ParameterInfo> parameters() const override { return inner_.parameters(); }
  std::vector<Layer> layers() const override { return inner_.layers(); }
  Names units() const override { return inner_.units(); }
  std::vector<BufferInfo> buffers() const override { return inner_.buffers(); }
  std::vector<PlacementRule> placements() const override { return inner_.placements(); }
  at::Tensor leaf(ParameterId id) const override { return inner_.leaf(id); }
  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    if (watch_.looks() && is_training(visit))
      for (const at::Tensor& h : hidden)
        if (h.requires_grad())
          h.register_hook([this, visit](const at::Tensor& g) { watch_.see_gradient(visit, g); });
    TensorList outputs = inner_.forward_unit(visit, unit, hidden, batch);
    if (watch_.looks() && is_training(visit)) watch_.see_outputs(visit, outputs);
    return outputs;
  }

 private:
  Model& inner_;
  FiniteWatch& watch_;
};

class FiniteWatch::WatchedOwner final : public Owner {
 public:
  WatchedOwner(Owner& inner, FiniteWatch& watch) : inner_(inner), watch_(watch) {}
  void plan(PlanBuilder& plan) override { inner_.plan(plan); }
  void begin_step(const StepPlan& plan) override { inner_.begin_step(plan); }
  void before(const Visit& visit) override { inner_.before(visit); }
  void after(const Visit& visit) override { inner_.after(visit); }
  void gradients_ready(const Visit& visit, Tensors gradients) override {
    if (watch_.looks()) watch_.see_gradients(visit, gradients);
    inner_.gradients_ready(visit, gradients);
  }
  void finish_gradients() override {
    inner_.finish_gradients();
    if (watch_.looks())
      watch_.see_pieces(&Piece::gradient, "gradient, summed over the micro-batches");
  }
  at::Tensor norm_part(double p) const override { return inner_.norm_part(p); }
  std::vector<Piece> pieces() const override { return inner_.pieces(); }
  void abort() override { inner_.abort(); }

 private:
  Owner& inner_;
  FiniteWatch& watch_;
};

FiniteWatch::FiniteWatch() = default;
FiniteWatch::~FiniteWatch() = default;

Model& FiniteWatch::watch(Model& model) {
  model_ = std::make_unique<WatchedModel>(model, *this);
  return *model_;
}
Owner& FiniteWatch::watch(Owner& owner) {
  owner_ = std::make_unique<WatchedOwner>(owner, *this);
  return *owner_;
}

void FiniteWatch::start(const Parameters& parameters) {
  parameters_ = &parameters;
  see_pieces(&Piece::master, "value before the step");
}

void FiniteWatch::finish() { see_pieces(&Piece::master, "value after the step"); }

void FiniteWatch::see_outputs(const Visit& visit, Tensors outputs) {
  for (const at::Tensor& y : outputs)
    if (!unit_ && !is_finite(y))
      unit_ = Unit{visit.unit, visit.micro_batch, "forward", first_row(y)};
}

void FiniteWatch::see_gradient(const Visit& visit, const at::Tensor& gradient) {
  if (!unit_ && !is_finite(gradient))
    unit_ = Unit{visit.unit, visit.micro_batch, "backward", first_row(gradient)};
}

void FiniteWatch::see_gradients(const Visit& visit, Tensors gradients) {
  const std::vector<std::size_t>& ids = parameters_->trainable_of(visit.unit);
  for (std::size_t i = 0; i != gradients.size() && i != ids.size(); ++i) {
    if (is_finite(gradients[i])) continue;
    if (!unit_) unit_ = Unit{visit.unit, visit.micro_batch, "backward", -1};
    if (!parameter_)
      parameter_ = Parameter{parameters_->infos()[ids[i]].name, "gradient", visit.micro_batch};
  }
}

void FiniteWatch::see_pieces(at::Tensor Piece::*part, const std::string& what) {
  for (const Piece& piece : parameters_->pieces())
    if (!parameter_ && !is_finite(piece.*part))
      parameter_ = Parameter{parameters_->infos()[std::size_t(piece.parameter)].name, what, -1};
}

}  // namespace mortise::host
