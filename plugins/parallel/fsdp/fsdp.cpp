// Fully sharded data parallelism (ZeRO stage 3, Rajbhandari et al. 2020; layout as in PyTorch's
// FSDP2): of the ranks that sum a parameter's gradient (axis `dp` and those that cutters spread),
// each owns a chunk of its rows, of its gradient and of its optimizer state; full parameters exist
// only around the visits of their units. Ranks of `dp_replicate` repeat the others' chunks.

#include <ATen/ops/dot.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <deque>
#include <limits>
#include <mortise/parallel/gradient_norm.hpp>
#include <mortise/parallel/owner.hpp>
#include <mortise/plugin.hpp>

#include "sharded_group.hpp"

namespace {

using mortise::field;
using mortise::ParameterInfo;
using mortise::TensorList;
using mortise_fsdp::ShardedGroup;

enum class Reduction { step, micro_batch };

class Fsdp final : public mortise::Owner {
 public:
  struct Config {
    bool reshard = true;
    bool prefetch = true;
    Reduction reduction = Reduction::step;

    static constexpr auto settings() {
      return mortise::fields(
          field("reshard", &Config::reshard)
              .known_as("reshard_after_forward")
              .doc("drop full parameters after each visit and gather them again; false keeps them "
                   "until the step ends: faster, more memory"),
          field("prefetch", &Config::prefetch)
              .doc("gather the next unit's parameters while this one computes"),
          field("reduction", &Config::reduction)
              .choice("step", Reduction::step)
              .choice("micro_batch", Reduction::micro_batch)
              .doc("step: each rank sums its micro-batches, one reduction a step. micro_batch: a "
                   "reduction for each, added in the order of the micro-batches, which gives the "
                   "same bits on any number of ranks"));
    }
  };

  Fsdp(const Config& config, mortise::Context& context)
      : config_(config), mesh_(context.service<mortise::Mesh>()) {}

  void plan(mortise::PlanBuilder& plan) override {
    infos_ = plan.parameters();
    by_unit_.resize(std::size_t(plan.units()));
    const std::vector<mortise::Box> boxes = plan.boxes();
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      const Lanes& lanes = lanes_over(plan.summed_axes(mortise::ParameterId(i)));
      if (!infos_[i].units.empty())
        group_of(infos_[i], lanes).add(mortise::ParameterId(i), boxes[i]);
    }
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
    local_.clear();
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
    for (ShardedGroup* g : by_unit_[std::size_t(visit.unit)]) {
      TensorList mine = of_group(*g, visit.unit, gradients);
      if (config_.reduction == Reduction::step) {
        add_locally(*g, visit.unit, mine);
        if (!visit.last_of_step) continue;
        mine = std::move(local_[{g, visit.unit}]);
      }
      while (begun_.size() >= 4) finish_oldest();
      g->start_reduce(visit.unit, mine);
      begun_.push_back(g);
    }
  }

  void finish_gradients() override {
    while (!begun_.empty()) finish_oldest();
    for (ShardedGroup& g : groups_) g.join_units();
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
  // Two groups of ranks, so that a gather does not queue behind a reduction.
  struct Lanes {
    std::unique_ptr<mortise::Communicator> gather, reduce;
  };
  const Lanes& lanes_over(const mortise::Names& axes) {
    std::string all, sharded;
    for (const std::string& axis : axes) {
      all += axis + ",";
      if (axis != "dp_replicate") sharded += axis + ",";
    }
    const auto [lanes, is_new] = lanes_.try_emplace(all);
    if (is_new) lanes->second = {mesh_.communicator(sharded), mesh_.communicator(all)};
    return lanes->second;
  }

  // Frozen parameters stand apart: they are gathered but never reduced.
  ShardedGroup& group_of(const ParameterInfo& info, const Lanes& lanes) {
    for (std::size_t i = 0; i != groups_.size(); ++i)
      if (groups_[i].units() == info.units && kinds_[i] == Kind{info.trainable, &lanes})
        return groups_[i];
    kinds_.push_back({info.trainable, &lanes});
    return groups_.emplace_back(info.units, ShardedGroup::Lanes{*lanes.gather, *lanes.reduce});
  }

  // A group of several units stays from its first visit to the backward pass of its lowest unit.
  static bool is_done(const ShardedGroup& g, const mortise::Visit& visit) {
    if (visit.next_unit >= 0 && g.serves(visit.next_unit) && g.units().size() == 1) return false;
    if (g.units().size() == 1) return true;
    return visit.phase == mortise::Phase::backward && visit.unit == g.units().front();
  }

  // The unit's gradients come in id order of its trainable parameters.
  TensorList of_group(const ShardedGroup& g, std::int64_t unit, mortise::Tensors gradients) const {
    TensorList mine;
    std::size_t next = 0;
    std::map<mortise::ParameterId, std::size_t> place;
    for (std::size_t i = 0; i != infos_.size(); ++i)
      if (infos_[i].trainable &&
          std::find(infos_[i].units.begin(), infos_[i].units.end(), unit) != infos_[i].units.end())
        place[mortise::ParameterId(i)] = next++;
    for (const auto& e : g.entries()) {
      const auto found = place.find(e.id);
      mine.push_back(found == place.end() ? at::Tensor() : gradients[found->second]);
    }
    return mine;
  }

  void add_locally(ShardedGroup& g, std::int64_t unit, const TensorList& gradients) {
    TensorList& sum = local_[{&g, unit}];
    sum.resize(gradients.size());
    for (std::size_t i = 0; i != sum.size(); ++i) {
      if (!gradients[i].defined()) continue;
      if (sum[i].defined())
        sum[i].add_(gradients[i]);
      else
        sum[i] = gradients[i];
    }
  }

  void finish_oldest() {
    begun_.front()->finish_reduce();
    begun_.pop_front();
  }

  Config config_;
  mortise::Mesh& mesh_;
  std::map<std::string, Lanes> lanes_;  // by axes
  std::vector<ParameterInfo> infos_;
  std::deque<ShardedGroup> groups_;            // addresses stay
  using Kind = std::pair<bool, const Lanes*>;  // trainable?
  std::vector<Kind> kinds_;                    // of groups
  std::vector<std::vector<ShardedGroup*>> by_unit_;
  std::map<std::pair<ShardedGroup*, std::int64_t>, TensorList> local_;
  std::deque<ShardedGroup*> begun_;  // reductions under way, oldest first
};

}  // namespace

MORTISE_PLUGIN("org.mortise.fsdp", MORTISE_VERSION,
               mortise::component<Fsdp, mortise::Owner>(
                   "fsdp", "fully sharded data parallelism over the mesh axis dp"));
