// Distributed data parallelism (Li et al. 2020): every rank that sums a parameter's gradient (axes
// `dp`, `dp_replicate` and those that cutters spread) holds all of it, its gradient and its
// optimizer state; gradients are summed over the ranks once a step or once a micro-batch, in rank
// order. A run that computes in bfloat16 has a copy of the masters in that type.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <map>
#include <mortise/parallel/gradient_norm.hpp>
#include <mortise/parallel/owner.hpp>
#include <mortise/plugin.hpp>
#include <set>

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
      : config_(config), mesh_(context.service<mortise::Mesh>()) {}

  void plan(mortise::PlanBuilder& plan) override {
    infos_ = plan.parameters();
    const std::vector<mortise::Box> boxes = plan.boxes();
    std::vector<Part*> part_of;
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      part_of.push_back(&part_over(plan.summed_axes(mortise::ParameterId(i)), infos_[i].compute));
      if (infos_[i].units.empty()) continue;
      part_of[i]->members.push_back({i, part_of[i]->size, padded(boxes[i].count())});
      part_of[i]->size += padded(boxes[i].count());
      if (infos_[i].trainable) units_.insert(infos_[i].units.begin(), infos_[i].units.end());
    }
    for (auto& [key, part] : parts_) place(plan, boxes, part);
    std::sort(pieces_.begin(), pieces_.end(),
              [](const auto& a, const auto& b) { return a.parameter < b.parameter; });
  }

  void begin_step(const mortise::StepPlan& step) override {
    const at::NoGradGuard no_grad;
    if (step.training) sums_.clear();
    for (auto& [key, part] : parts_)
      if (!part.computed.is_same(part.master)) part.computed.copy_(part.master);
  }

  void gradients_ready(const mortise::Visit& visit, mortise::Tensors gradients) override {
    const at::NoGradGuard no_grad;
    const bool by_micro_batch = config_.reduction == Reduction::micro_batch;
    Sums& sums = sums_[by_micro_batch ? visit.micro_batch : 0];
    for (auto& [key, part] : parts_)
      if (!part.members.empty()) add(part, visit.unit, gradients, sums);
    // A micro-batch is complete when each unit has had its turn.
    sums.units_done += units_.count(visit.unit);
    if (!by_micro_batch || sums.units_done != units_.size()) return;
    reduce(sums);
    sums_.erase(visit.micro_batch);
  }

  void finish_gradients() override {
    const at::NoGradGuard no_grad;
    for (auto& [micro_batch, sums] : sums_) reduce(sums);
    sums_.clear();
    for (auto& [key, part] : parts_) {
      part.gradient.zero_();
      for (auto& [use, shard] : part.shards) {
        const at::Tensor whole = at::empty({part.size}, part.gradient.options());
        part.group->all_gather(whole, shard)->wait();
        part.gradient.add_(whole);
      }
      part.shards.clear();
    }
  }

  // Every rank holds the same gradient: it is counted on the first.
  at::Tensor norm_part(double p) const override {
    TensorList mine;
    for (const auto& [key, part] : parts_)
      if (part.group->rank() == 0) mine.push_back(part.gradient);
    return mortise::norm_part(mine, p);
  }
  std::vector<mortise::Piece> pieces() const override { return pieces_; }
  void abort() override { sums_.clear(); }

 private:
  struct Member {
    std::size_t parameter;
    std::int64_t offset, size;  // padded
  };
  // Parameters whose gradients are summed over the same ranks, one after the other.
  struct Part {
    std::unique_ptr<mortise::Communicator> group;
    std::vector<Member> members;
    std::int64_t size = 0;
    at::ScalarType type = at::kFloat;  // that layers see
    at::Tensor master, computed, gradient;
    std::map<std::size_t, at::Tensor> shards;  // reduced, by place of use
  };
  // Not reduced yet.
  struct Sums {
    std::map<std::pair<Part*, std::size_t>, at::Tensor> local;  // by place of use
    std::size_t units_done = 0;
  };

  Part& part_over(const mortise::Names& axes, mortise::DType compute) {
    std::string all;
    for (const std::string& axis : axes) all += axis + ",";
    const auto [part, is_new] = parts_.try_emplace({all, compute});
    if (is_new) part->second.group = mesh_.communicator(all);
    if (compute == mortise::DType::bfloat16) part->second.type = at::kBFloat16;
    return part->second;
  }
  void place(mortise::PlanBuilder& plan, const std::vector<mortise::Box>& boxes, Part& part) {
    const std::int64_t unit = 16 * part.group->size();
    part.size = (part.size + unit - 1) / unit * unit;
    part.master = at::zeros({part.size}, at::TensorOptions(at::Device(plan.device())));
    part.computed = part.type == at::kFloat ? part.master : part.master.to(part.type);
    part.gradient = at::zeros({part.size}, part.master.options());
    for (const Member& m : part.members) {
      const mortise::Box& box = boxes[m.parameter];
      at::Tensor view = at::empty({0}, part.computed.options());
      view.set_(part.computed.storage(), m.offset, box.size, at::empty(box.size).strides());
      plan.place(mortise::ParameterId(m.parameter), view);
      pieces_.push_back({mortise::ParameterId(m.parameter),
                         box,
                         part.master.narrow(0, m.offset, m.size),
                         part.gradient.narrow(0, m.offset, m.size),
                         {}});
    }
  }

  bool uses(std::size_t parameter, std::int64_t unit) const {
    const auto& units = infos_[parameter].units;
    return std::find(units.begin(), units.end(), unit) != units.end();
  }
  // The unit's gradients come in id order of its trainable parameters.
  std::size_t place_of(std::size_t parameter, std::int64_t unit) const {
    std::size_t place = 0;
    for (std::size_t i = 0; i != parameter; ++i) place += uses(i, unit) && infos_[i].trainable;
    return place;
  }
  // 0 for the first unit of every parameter, 1 for the second unit of tied ones, …: gradients of
  // tied parameters are summed use by use, then joined in unit order.
  std::size_t place_of_use(const Part& part, std::int64_t unit) const {
    std::size_t place = 0;
    for (const Member& m : part.members) {
      const auto& units = infos_[m.parameter].units;
      if (uses(m.parameter, unit))
        place = std::max(place,
                         std::size_t(std::find(units.begin(), units.end(), unit) - units.begin()));
    }
    return place;
  }
  void add(Part& part, std::int64_t unit, mortise::Tensors gradients, Sums& sums) {
    at::Tensor& local = sums.local[{&part, place_of_use(part, unit)}];
    if (!local.defined()) local = at::zeros({part.size}, part.gradient.options());
    for (const Member& m : part.members) {
      if (!uses(m.parameter, unit) || !infos_[m.parameter].trainable) continue;
      const at::Tensor& g = gradients[place_of(m.parameter, unit)];
      if (g.defined()) local.narrow(0, m.offset, g.numel()).add_(g.reshape({-1}));
    }
  }
  // In the order of the axes and of the uses, which is the same on every rank.
  void reduce(Sums& sums) {
    for (auto& [key, part] : parts_)
      for (std::size_t use = 0; sums.local.count({&part, use}) != 0; ++use) {
        at::Tensor& shard = part.shards[use];
        if (!shard.defined())
          shard = at::zeros({part.size / part.group->size()}, part.gradient.options());
        part.group->reduce_scatter_ordered(shard, sums.local[{&part, use}])->wait();
      }
  }

  Config config_;
  mortise::Mesh& mesh_;
  std::vector<mortise::ParameterInfo> infos_;
  std::set<std::int64_t> units_;  // that have parameters to train here
  std::map<std::pair<std::string, mortise::DType>, Part> parts_;  // by axes and type of computing
  std::map<std::int64_t, Sums> sums_;  // by micro-batch; reduction: step has one
  std::vector<mortise::Piece> pieces_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.ddp", MORTISE_VERSION,
               mortise::component<Ddp, mortise::Owner>(
                   "ddp", "data parallelism: every rank holds all parameters"));
