// Owner: every rank of axis `dp` holds all parameters, and gradients are summed once a step.

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <mortise/parallel/gradient_norm.hpp>
#include <mortise/parallel/owner.hpp>
#include <mortise/plugin.hpp>

namespace {

class MyPlugin final : public mortise::Owner {
 public:
  explicit MyPlugin(mortise::Context& context)
      : group_(context.service<mortise::Mesh>().communicator("dp")) {}

  void plan(mortise::PlanBuilder& plan) override {
    infos_ = plan.parameters();
    const std::vector<mortise::Box> boxes = plan.boxes();
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      const std::int64_t padded = (boxes[i].count() + 15) / 16 * 16;
      const auto id = mortise::ParameterId(i);
      if (infos_[i].units.empty() || plan.summed_axes(id) != mortise::Names{"dp"})
        throw mortise::Error(mortise::ErrorCode::not_supported, "only the axis dp is known here");
      pieces_.push_back({id, boxes[i], at::zeros({padded}), at::zeros({padded}), {}});
      plan.place(id, front(pieces_[i].master, i).view(boxes[i].size));
    }
  }

  void begin_step(const mortise::StepPlan& step) override {
    if (!step.training) return;
    for (const mortise::Piece& piece : pieces_) piece.gradient.zero_();
  }

  void gradients_ready(const mortise::Visit& visit, mortise::Tensors gradients) override {
    const at::NoGradGuard no_grad;
    std::size_t next = 0;
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      const std::vector<std::int64_t>& units = infos_[i].units;
      const bool used = std::find(units.begin(), units.end(), visit.unit) != units.end();
      if (!used || !infos_[i].trainable) continue;
      const at::Tensor& gradient = gradients[next++];
      if (gradient.defined()) front(pieces_[i].gradient, i).add_(gradient.reshape({-1}));
    }
  }

  void finish_gradients() override {
    for (const mortise::Piece& piece : pieces_)
      group_->all_reduce(piece.gradient, mortise::ReduceOp::sum)->wait();
  }

  // Every rank holds the same gradients: they are counted on the first.
  at::Tensor norm_part(double p) const override {
    mortise::TensorList counted;
    if (group_->rank() == 0)
      for (const mortise::Piece& piece : pieces_) counted.push_back(piece.gradient);
    return mortise::norm_part(counted, p);
  }

  std::vector<mortise::Piece> pieces() const override { return pieces_; }

 private:
  at::Tensor front(const at::Tensor& padded, std::size_t i) const {
    return padded.narrow(0, 0, pieces_[i].box.count());
  }

  std::unique_ptr<mortise::Communicator> group_;
  std::vector<mortise::ParameterInfo> infos_;
  std::vector<mortise::Piece> pieces_;
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::Owner>(
                   "my_plugin", "data parallelism: every rank holds everything"));
