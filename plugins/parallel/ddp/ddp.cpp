// Distributed data parallelism (Li et al. 2020): every rank of axis `dp` holds all parameters,
// gradients and optimizer state; gradients are summed over the ranks once a step or once a
// micro-batch, in rank order.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <mortise/parallel/gradient_norm.hpp>
#include <mortise/parallel/owner.hpp>
#include <mortise/plugin.hpp>

namespace {

using mortise::field;
using mortise::TensorList;

enum class Reduction { step, micro_batch };

std::int64_t padded(std::int64_t n) { return (n + 15) / 16 * 16; }

class Ddp final : public mortise::Owner {
 public:
  struct Config {
    Reduction reduction = Reduction::step;
    static constexpr auto settings() {
      return mortise::fields(
          field("reduction", &Config::reduction)
              .choice("step", Reduction::step)
              .choice("micro_batch", Reduction::micro_batch)
              .doc("step: each rank sums its micro-batches, one reduction a step. micro_batch: a "
                   "reduction for each, added in the order of the micro-batches, which gives the "
                   "same bits on any number of ranks"));
    }
  };

  Ddp(const Config& config, mortise::Context& context)
      : config_(config), group_(context.service<mortise::Mesh>().communicator("dp")) {}

  void plan(mortise::PlanBuilder& plan) override {
    infos_ = plan.parameters();
    const std::vector<mortise::Box> boxes = plan.boxes();
    for (const mortise::Box& b : boxes) {
      offsets_.push_back(size_);
      size_ += padded(b.count());
    }
    size_ = (size_ + 16 * group_->size() - 1) / (16 * group_->size()) * (16 * group_->size());
    master_ = at::zeros({size_});
    gradient_ = at::zeros({size_});
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      at::Tensor view = at::empty({0});
      const std::int64_t n = padded(boxes[i].count());
      view.set_(master_.storage(), offsets_[i], boxes[i].size, at::empty(boxes[i].size).strides());
      plan.place(mortise::ParameterId(i), view);
      pieces_.push_back({mortise::ParameterId(i),
                         boxes[i],
                         master_.narrow(0, offsets_[i], n),
                         gradient_.narrow(0, offsets_[i], n),
                         {}});
    }
  }

  void begin_step(const mortise::StepPlan& step) override {
    if (step.training) sums_.clear();
  }

  void gradients_ready(const mortise::Visit& visit, mortise::Tensors gradients) override {
    const at::NoGradGuard no_grad;
    const std::size_t use = place_of_use(visit.unit);
    const at::Tensor local =
        config_.reduction == Reduction::step ? sum(use, size_) : at::zeros({size_});
    std::size_t next = 0;
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      if (!uses(i, visit.unit) || !infos_[i].trainable) continue;
      const at::Tensor& g = gradients[next++];
      if (g.defined()) local.narrow(0, offsets_[i], g.numel()).add_(g.reshape({-1}));
    }
    if (config_.reduction == Reduction::micro_batch) reduce_later(visit, use, local);
  }

  void finish_gradients() override {
    const at::NoGradGuard no_grad;
    if (config_.reduction == Reduction::step) reduce_sums();
    gradient_.zero_();
    for (auto& [use, shard] : shards_) {
      const at::Tensor whole = at::empty({size_});
      group_->all_gather(whole, shard)->wait();
      gradient_.add_(whole);
    }
    shards_.clear();
  }

  // Every rank holds the same gradient: it is counted on the first.
  at::Tensor norm_part(double p) const override {
    return mortise::norm_part(group_->rank() == 0 ? TensorList{gradient_} : TensorList{}, p);
  }
  std::vector<mortise::Piece> pieces() const override { return pieces_; }

 private:
  bool uses(std::size_t parameter, std::int64_t unit) const {
    const auto& units = infos_[parameter].units;
    return std::find(units.begin(), units.end(), unit) != units.end();
  }
  // 0 for the first unit of every parameter, 1 for the second unit of tied ones, …: gradients of
  // tied parameters are summed use by use, then joined in unit order.
  std::size_t place_of_use(std::int64_t unit) const {
    std::size_t place = 0;
    for (std::size_t i = 0; i != infos_.size(); ++i)
      if (uses(i, unit))
        place = std::max(
            place, std::size_t(std::find(infos_[i].units.begin(), infos_[i].units.end(), unit) -
                               infos_[i].units.begin()));
    return place;
  }
  at::Tensor sum(std::size_t use, std::int64_t size) {
    at::Tensor& s = sums_[use];
    if (!s.defined()) s = at::zeros({size});
    return s;
  }
  at::Tensor shard(std::size_t use) {
    at::Tensor& s = shards_[use];
    if (!s.defined()) s = at::zeros({size_ / group_->size()});
    return s;
  }
  // All units of a micro-batch together: the walk goes down to unit 0.
  void reduce_later(const mortise::Visit& visit, std::size_t use, const at::Tensor& local) {
    sum(use, size_).add_(local);
    if (visit.unit != 0) return;
    reduce_sums();
    sums_.clear();
  }
  void reduce_sums() {
    for (auto& [use, local] : sums_) group_->reduce_scatter_ordered(shard(use), local)->wait();
  }

  Config config_;
  std::unique_ptr<mortise::Communicator> group_;
  std::vector<mortise::ParameterInfo> infos_;
  std::vector<std::int64_t> offsets_;
  std::int64_t size_ = 0;
  at::Tensor master_, gradient_;
  std::map<std::size_t, at::Tensor> sums_, shards_;  // by place of use
  std::vector<mortise::Piece> pieces_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.ddp", MORTISE_VERSION,
               mortise::component<Ddp, mortise::Owner>(
                   "ddp", "data parallelism: every rank holds all parameters"));
