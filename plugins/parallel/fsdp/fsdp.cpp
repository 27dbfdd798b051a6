// Fully sharded data parallelism (ZeRO stage 3, Rajbhandari et al. 2020; layout as in PyTorch's
// FSDP2): of the ranks that sum a parameter's gradient (axis `dp` and those that cutters spread),
// each owns a chunk of its rows, of its gradient and of its optimizer state; full parameters exist
// only around the visits of their units. Ranks of `dp_replicate` repeat the others' chunks: they
// gather among themselves and sum with everybody.

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mortise/parallel/gradient_norm.hpp>
#include <mortise/parallel/owner.hpp>
#include <mortise/plugin.hpp>
#include <set>
#include <tuple>

#include "sharded_group.hpp"

namespace {

using mortise::field;
using mortise::ParameterInfo;
using mortise::TensorList;
using mortise_fsdp::GroupKind;
using mortise_fsdp::Lanes;
using mortise_fsdp::ShardedGroup;

enum class Reduction { step, micro_batch };

class Fsdp final : public mortise::Owner {
 public:
  struct Config {
    bool reshard = true;
    bool prefetch = true;
    std::int64_t units_per_group = 1;
    Reduction reduction = Reduction::step;
    bool ordered = false;

    static constexpr auto settings() {
      return mortise::fields(
          field("reshard", &Config::reshard)
              .known_as("reshard_after_forward")
              .doc("drop full parameters after each visit and gather them again; false keeps them "
                   "until the step ends: faster, more memory"),
          field("prefetch", &Config::prefetch)
              .doc("gather the next unit's parameters while this one computes"),
          field("units_per_group", &Config::units_per_group)
              .at_least(1)
              .doc("units that are gathered, dropped and reduced together: fewer and larger "
                   "messages, more memory; tied parameters stand apart"),
          field("reduction", &Config::reduction)
              .choice("step", Reduction::step)
              .choice("micro_batch", Reduction::micro_batch)
              .doc("step: each rank sums its micro-batches, one reduction a step. micro_batch: a "
                   "reduction for each, added in the order of the micro-batches, which gives the "
                   "same bits on any number of ranks"),
          field("ordered", &Config::ordered)
              .doc("with reduction: step, add the ranks in their order even where the communicator "
                   "has a faster one of its own (nccl); others always do"));
    }
  };

  Fsdp(const Config& config, mortise::Context& context)
      : config_(config), mesh_(context.service<mortise::Mesh>()) {}

  void plan(mortise::PlanBuilder& plan) override {
    const std::vector<ParameterInfo> infos = plan.parameters();
    const std::vector<mortise::Box> boxes = plan.boxes();
    const std::map<std::int64_t, std::int64_t> runs = runs_of(infos);
    places_.resize(std::size_t(plan.units()));
    for (std::size_t i = 0; i != infos.size(); ++i) {
      const auto id = mortise::ParameterId(i);
      const Lanes& lanes = lanes_over(plan.summed_axes(id));
      const ParameterInfo& info = infos[i];
      if (info.units.empty()) continue;
      const bool tied = info.units.size() > 1;
      ShardedGroup& group =
          group_of({tied ? info.units : std::vector<std::int64_t>(),
                    tied ? 0 : runs.at(info.units.front()), info.trainable, info.compute, &lanes});
      const std::size_t entry = group.add(id, info, boxes[i]);
      if (!info.trainable) continue;
      for (const std::int64_t unit : info.units)
        places_[std::size_t(unit)].push_back({&group, entry});
    }
    by_unit_.resize(std::size_t(plan.units()));
    for (ShardedGroup& g : groups_) {
      g.allocate(plan);
      for (const std::int64_t unit : g.units()) by_unit_[std::size_t(unit)].push_back(&g);
    }
  }

  void begin_step(const mortise::StepPlan& step) override {
    for (ShardedGroup& g : groups_) {
      g.forget();
      if (step.training) g.zero();
    }
    sums_.clear();
  }

  void before(const mortise::Visit& visit) override {
    for (ShardedGroup* g : by_unit_[std::size_t(visit.unit)]) g->finish_gather();
    if (config_.prefetch && visit.next_unit >= 0)
      for (ShardedGroup* g : by_unit_[std::size_t(visit.next_unit)]) g->start_gather();
  }

  void after(const mortise::Visit& visit) override {
    if (!config_.reshard) return;
    for (ShardedGroup* g : by_unit_[std::size_t(visit.unit)])
      if (is_done(*g, visit)) g->release();
  }

  void gradients_ready(const mortise::Visit& visit, mortise::Tensors gradients) override {
    const at::NoGradGuard no_grad;
    const std::vector<Place>& places = places_[std::size_t(visit.unit)];
    for (std::size_t i = 0; i != places.size(); ++i)
      add(sum_of(*places[i].group, visit).gradients[places[i].entry], gradients[i]);
    for (ShardedGroup* g : by_unit_[std::size_t(visit.unit)])
      if (g->kind().trainable && completes(*g, visit)) reduce(*g, visit);
  }

  void finish_gradients() override {
    while (!begun_.empty()) finish_oldest();
    for (ShardedGroup& g : groups_) g.join_uses();
  }

  at::Tensor norm_part(double p) const override {
    TensorList gradients;
    for (const ShardedGroup& g : groups_)
      if (g.is_first_copy()) gradients.push_back(g.gradient());
    return mortise::norm_part(gradients, p);
  }

  std::vector<mortise::Piece> pieces() const override {
    std::vector<mortise::Piece> all;
    for (const ShardedGroup& g : groups_)
      for (mortise::Piece& p : g.pieces()) all.push_back(std::move(p));
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.parameter < b.parameter; });
    return all;
  }

  void abort() override {
    for (ShardedGroup& g : groups_) g.abort();
  }

 private:
  // Where a gradient goes.
  struct Place {
    ShardedGroup* group;
    std::size_t entry;
  };
  // Of one use of a group's parameters: gradients that are not being reduced yet.
  struct Sum {
    TensorList gradients;  // by entry
    std::size_t units_left;
  };

  // Two groups of ranks, so that a gather does not queue behind a reduction.
  const Lanes& lanes_over(const mortise::Names& axes) {
    std::string all, sharded;
    for (const std::string& axis : axes) {
      all += axis + ",";
      if (axis != "dp_replicate") sharded += axis + ",";
    }
    const auto [lanes, is_new] = lanes_.try_emplace(all);
    if (is_new) {
      lanes->second = {mesh_.communicator(sharded), mesh_.communicator(all)};
      lanes->second.ordered = config_.ordered || config_.reduction == Reduction::micro_batch ||
                              !lanes->second.reduce->supports("native_reduce_scatter");
    }
    return lanes->second;
  }

  // Units of this rank, units_per_group at a time.
  std::map<std::int64_t, std::int64_t> runs_of(const std::vector<ParameterInfo>& infos) const {
    std::set<std::int64_t> units;
    for (const ParameterInfo& info : infos) units.insert(info.units.begin(), info.units.end());
    std::map<std::int64_t, std::int64_t> runs;
    for (const std::int64_t unit : units)
      runs.emplace(unit, std::int64_t(runs.size()) / config_.units_per_group);
    return runs;
  }

  // Frozen parameters stand apart: they are gathered but never reduced.
  ShardedGroup& group_of(GroupKind kind) {
    for (ShardedGroup& g : groups_)
      if (g.kind() == kind) return g;
    return groups_.emplace_back(std::move(kind), memory_);
  }

  // A tied parameter stays from its first visit to the backward pass of its lowest unit.
  static bool is_done(const ShardedGroup& g, const mortise::Visit& visit) {
    if (visit.next_unit >= 0 && g.serves(visit.next_unit)) return false;
    return !g.is_tied() ||
           (visit.phase == mortise::Phase::backward && visit.unit == g.units().front());
  }

  using SumKey = std::tuple<const ShardedGroup*, std::size_t, std::int64_t>;
  SumKey key_of(const ShardedGroup& g, const mortise::Visit& visit) const {
    const bool by_micro_batch = config_.reduction == Reduction::micro_batch;
    return {&g, g.use_of(visit.unit), by_micro_batch ? visit.micro_batch : 0};
  }
  Sum& sum_of(const ShardedGroup& g, const mortise::Visit& visit) {
    const auto [sum, is_new] = sums_.try_emplace(key_of(g, visit));
    if (is_new) sum->second = {TensorList(g.size()), g.is_tied() ? 1 : g.units().size()};
    return sum->second;
  }

  // In float32 as soon as there is something to add.
  static void add(at::Tensor& sum, const at::Tensor& gradient) {
    if (!gradient.defined()) return;
    if (!sum.defined())
      sum = gradient;
    else
      sum = sum.to(at::kFloat).add_(gradient);
  }

  // Whether nothing more comes to the sum that `visit` adds to.
  bool completes(const ShardedGroup& g, const mortise::Visit& visit) {
    if (config_.reduction == Reduction::step && !visit.last_of_step) return false;
    return --sum_of(g, visit).units_left == 0;
  }

  void reduce(ShardedGroup& g, const mortise::Visit& visit) {
    while (begun_.size() >= 4) finish_oldest();
    const auto sum = sums_.find(key_of(g, visit));
    g.start_reduce(g.use_of(visit.unit), sum->second.gradients);
    sums_.erase(sum);
    begun_.push_back(&g);
  }

  void finish_oldest() {
    begun_.front()->finish_reduce();
    begun_.pop_front();
  }

  Config config_;
  mortise::Mesh& mesh_;
  mortise_fsdp::GroupMemory memory_;
  std::map<std::string, Lanes> lanes_;  // by axes
  std::deque<ShardedGroup> groups_;     // addresses stay
  std::vector<std::vector<ShardedGroup*>> by_unit_;
  std::vector<std::vector<Place>> places_;  // by unit, of its trainable parameters in id order
  std::map<SumKey, Sum> sums_;
  std::deque<ShardedGroup*> begun_;  // reductions under way, oldest first
};

}  // namespace

MORTISE_PLUGIN("org.mortise.fsdp", MORTISE_VERSION,
               mortise::component<Fsdp, mortise::Owner>(
                   "fsdp", "fully sharded data parallelism over the mesh axis dp"));
