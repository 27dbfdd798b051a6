#include "host/engine/layout.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <mortise/parallel/schedule_fault.hpp>
#include <numeric>

namespace mortise::host {
namespace {

// "pp 2 x dp 2"
std::string text_of(const std::vector<MeshAxis>& axes) {
  std::string text;
  for (const MeshAxis& a : axes)
    text += (text.empty() ? "" : " x ") + a.name + " " + std::to_string(a.size);
  return text;
}

// Each unit forward, then each backward, one micro-batch after the other.
std::vector<Action> plain_schedule(std::int64_t units, std::int64_t micro_batches) {
  std::vector<Action> all;
  for (std::int64_t m = 0; m != micro_batches; ++m) {
    for (std::int64_t u = 0; u != units; ++u) all.push_back({Action::Kind::forward, m, u});
    for (std::int64_t u = units; u-- != 0;) all.push_back({Action::Kind::backward, m, u});
  }
  return all;
}

}  // namespace

Layout::Layout(LayoutParts parts, Plan::Lists lists)
    : parts_(std::move(parts)),
      axes_(parts_.mesh.axes()),
      stages_(parts_.mesh.communicator("pp")),
      stages_back_(parts_.mesh.communicator("pp")),
      stage_of_(std::size_t(lists.units), 0) {
  ask_selector(lists.units);
  plan_.emplace(std::move(lists), units(), axes_, parts_.device);
  for (Cutter* cutter : parts_.cutters) cutter->plan(*plan_);
  check_axes();
  find_ranks();
}

void Layout::ask_selector(std::int64_t units) {
  const std::int64_t stages = stages_->size();
  if (stages > units)
    throw ConfigError("mesh: pp: " + std::to_string(stages) + " stages are more than the model's " +
                      std::to_string(units) + " units: write 1 to " + std::to_string(units));
  if (parts_.selector == nullptr) {
    units_of_.resize(std::size_t(stages));
    units_of_[0].resize(std::size_t(units));
    std::iota(units_of_[0].begin(), units_of_[0].end(), 0);
    if (stages > 1)
      throw ConfigError("mesh: pp: " + std::to_string(stages) +
                        " stages, and no strategy under parallel: puts units on them: add a "
                        "selector such as a pipeline, or remove mesh.pp");
    return;
  }
  parts_.selector->weigh(parts_.costs);
  require_runnable(stages);
  for (std::int64_t s = 0; s != stages; ++s) {
    units_of_.push_back(parts_.selector->units(s, stages, units));
    for (const std::int64_t u : units_of_.back()) stage_of_.at(std::size_t(u)) = s;
  }
}

// An axis that nothing uses would make its ranks do the same work.
void Layout::check_axes() const {
  for (const MeshAxis& a : axes_)
    if (a.size > 1 && a.name != "pp" && a.name != "dp" && a.name != "dp_replicate" &&
        plan_->spread_axes().count(a.name) == 0)
      throw ConfigError("mesh: " + a.name + ": " + std::to_string(a.size) + " ranks of " +
                        text_of(axes_) +
                        ", and no strategy under parallel: uses this axis: add a "
                        "cutter that does, or remove mesh." +
                        a.name);
}

// Ranks are counted with the slowest axis first.
void Layout::find_ranks() {
  std::string all, micro_batches;
  std::vector<bool> deals, repeats;
  for (const MeshAxis& a : axes_) {
    const auto spread = plan_->spread_axes().find(a.name);
    const auto is_over = [&](Spread over) {
      return spread != plan_->spread_axes().end() && spread->second == over;
    };
    repeats.push_back(is_over(Spread::features));
    deals.push_back(a.name != "pp" && !is_over(Spread::positions) && !repeats.back());
    all += a.name + ",";
    if (deals.back()) micro_batches += a.name + ",";
    if (is_over(Spread::positions)) part_ = part_ * a.size + a.rank;
    if (repeats.back()) repeats_ += a.rank;
  }
  everyone_ = parts_.mesh.communicator(all);
  micro_batches_ = parts_.mesh.communicator(micro_batches);
  for (std::int64_t rank = 0; rank != everyone_->size(); ++rank) {
    std::int64_t rest = rank, stride = everyone_->size(), place = 0;
    bool repeats_another = false;
    for (std::size_t a = 0; a != axes_.size(); ++a) {
      stride /= axes_[a].size;
      if (deals[a]) place = place * axes_[a].size + rest / stride;
      repeats_another = repeats_another || (repeats[a] && rest / stride != 0);
      rest %= stride;
    }
    micro_batch_rank_.push_back(repeats_another ? -1 : place);
  }
}

void Layout::require_micro_batches(std::int64_t count) const {
  const std::int64_t ranks = micro_batches_->size(), stages = stages_->size();
  if (count % ranks_together() != 0)
    throw ConfigError("mesh: " + text_of(axes_) + ": " + std::to_string(count) +
                      " micro-batches in a step do not divide by the " +
                      std::to_string(ranks_together()) +
                      " ranks that compute together, each on its own: choose batch.micro_batch so "
                      "that they do");
  if ((count + ranks - 1) / ranks >= stages) return;
  throw ConfigError("mesh: pp: " + std::to_string(stages) + " stages need as many micro-batches, " +
                    std::to_string(count) + " on " + std::to_string(ranks) +
                    " data-parallel ranks are too few: lower batch.micro_batch, or write pp: " +
                    std::to_string((count + ranks - 1) / ranks));
}

std::int64_t Layout::ranks_together() const {
  std::int64_t together = 1;
  for (const MeshAxis& a : axes_)
    if (const auto spread = plan_->spread_axes().find(a.name);
        spread != plan_->spread_axes().end() && spread->second == Spread::micro_batches)
      together *= a.size;
  return together;
}

Batch Layout::prepare(const Batch& batch) const {
  Batch part = batch;
  for (Cutter* cutter : parts_.cutters) part = cutter->prepare_batch(part);
  return part;
}

at::Tensor Layout::join(const at::Tensor& by_rank) const {
  if (micro_batches_->size() == by_rank.size(0)) return by_rank;
  std::vector<std::int64_t> shape = by_rank.sizes().vec();
  shape[0] = micro_batches_->size();
  at::Tensor sums = at::zeros(shape, by_rank.options());
  for (std::size_t r = 0; r != micro_batch_rank_.size(); ++r)
    if (micro_batch_rank_[r] >= 0) sums[micro_batch_rank_[r]].add_(by_rank[std::int64_t(r)]);
  return sums;
}

std::vector<Action> Layout::schedule(std::int64_t rounds) const {
  if (parts_.selector == nullptr) return plain_schedule(model_units(), rounds);
  require_runnable(rounds);
  return parts_.selector->schedule(stage(), stages_->size(), model_units(), rounds);
}

void Layout::require_runnable(std::int64_t rounds) const {
  const std::int64_t stages = stages_->size();
  const std::string fault = schedule_fault(*parts_.selector, stages, model_units(), rounds);
  if (fault.empty()) return;
  throw Error(ErrorCode::failed, "the selector's schedule for " + std::to_string(stages) +
                                     " stages, " + std::to_string(model_units()) + " units and " +
                                     std::to_string(rounds) +
                                     " micro-batches cannot run: " + fault);
}

}  // namespace mortise::host
