// Loss: the two halves of a sequence belong together, among all halves of the micro-batches that
// the ranks compute at the same time (van den Oord et al. 2018). The gather is differentiable.

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mortise/model/loss.hpp>
#include <mortise/parallel/mesh.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// [B, C] of each rank -> [W * B, C] on all; the gradient of a row goes back to its rank.
struct GatherRows : torch::autograd::Function<GatherRows> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, Communicator* group) {
    context->saved_data["group"] = reinterpret_cast<std::int64_t>(group);
    const at::Tensor all = at::empty({group->size() * rows.numel()});
    group->all_gather(all, rows.contiguous().view({-1}))->wait();
    return all.view({-1, rows.size(1)});
  }
  static variable_list backward(AutogradContext* context, variable_list gradient) {
    auto& group = *reinterpret_cast<Communicator*>(context->saved_data["group"].toInt());
    const at::Tensor mine = at::zeros({gradient[0].numel() / group.size()});
    group.reduce_scatter_ordered(mine, gradient[0].contiguous().view({-1}))->wait();
    return {mine.view({-1, gradient[0].size(1)}), at::Tensor()};
  }
};

class Contrastive final : public Loss {
 public:
  using Services = services<Mesh>;
  explicit Contrastive(Context& context) : group_(context.service<Mesh>().communicator("dp")) {}

  bool collective() const override { return true; }
  at::Tensor counts(const Batch& batch) const override {
    return at::full({}, batch["tokens"].size(0), at::kLong);
  }
  void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden, const Batch&) override {
    const at::Tensor z = unit(head, hidden);
    const std::int64_t half = z.size(1) / 2, sequences = z.size(0);
    const auto mean = [&](std::int64_t from) {
      const at::Tensor m = z.narrow(1, from, half).mean(1);
      return m / m.norm(2, -1, true);
    };
    const at::Tensor all = GatherRows::apply(mean(half), group_.get());
    const at::Tensor scores = mean(0).matmul(all.t()) * 10;
    const at::Tensor own = at::arange(sequences) + group_->rank() * sequences;
    unit.term("contrastive", at::cross_entropy_loss(scores, own, {}, at::Reduction::Sum),
              Denominator::samples, 1);
  }

 private:
  std::unique_ptr<Communicator> group_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.contrastive", MORTISE_VERSION,
               component<Contrastive, Loss>("contrastive", "contrastive loss over all ranks"));
