#include "mix_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mortise::mixture {

namespace {

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

Progress progress_of(const DrawRequest& run, std::int64_t samples) {
  Progress progress;
  progress.total_steps = run.total_steps;
  progress.tokens_per_step = run.tokens_per_step;
  progress.steps_per_epoch = std::max<std::int64_t>(
      1, std::llround(double(samples) / double(std::max<std::int64_t>(1, run.sequences_per_step))));
  return progress;
}

std::string step_text(std::int64_t position, const DrawRequest& run) {
  return std::to_string(position / std::max<std::int64_t>(1, run.sequences_per_step));
}

}  // namespace

MixPlan::MixPlan(std::vector<Source> sources, std::vector<Stage> stages)
    : sources_(std::move(sources)), stages_(std::move(stages)) {
  for (const Stage& stage : stages_) deals_.emplace_back(stage.weights);
  for (const Source& source : sources_) samples_ += source.samples;
}

std::int64_t MixPlan::end_of(std::size_t stage, const DrawRequest& run) const {
  if (!stages_[stage].until) return kNoEnd;
  return stages_[stage].until->in_steps(progress_of(run, samples_)) * run.sequences_per_step;
}

std::vector<MixPlan::Span> MixPlan::spans(const DrawRequest& run) const {
  std::vector<Span> all;
  std::int64_t begin = 0;
  std::vector<std::int64_t> drawn(sources_.size());
  for (std::size_t s = 0; s != stages_.size(); ++s) {
    const std::int64_t end = end_of(s, run);
    if (end <= begin)
      throw ConfigError("stages: number " + std::to_string(s + 1) + " ends at step " +
                        step_text(end, run) + ", where the one before it ends at step " +
                        step_text(begin, run) + ": let each end later than the one before");
    all.push_back({begin, end, drawn});
    if (s + 1 == stages_.size()) break;
    const std::vector<std::int64_t> counts = deals_[s].counts(end - begin);
    for (std::size_t i = 0; i != drawn.size(); ++i) drawn[i] += counts[i];
    begin = end;
  }
  if (all.back().end < run.total_steps * run.sequences_per_step)
    throw ConfigError("stages: the last one ends at step " + step_text(all.back().end, run) +
                      " of " + std::to_string(run.total_steps) +
                      ": leave out its until, or say 100%");
  all.back().end = kNoEnd;
  return all;
}

std::vector<std::int64_t> MixPlan::drawn_before(const std::vector<Span>& spans,
                                                std::int64_t position) const {
  std::size_t s = 0;
  while (spans[s].end < position) ++s;
  std::vector<std::int64_t> drawn = deals_[s].counts(position - spans[s].begin);
  for (std::size_t i = 0; i != drawn.size(); ++i) drawn[i] += spans[s].drawn[i];
  return drawn;
}

std::vector<std::int64_t> MixPlan::drawn(const DrawRequest& request) const {
  return drawn_before(spans(request), request.first);
}

std::int64_t MixPlan::limit_of(const Source& source) const {
  const double limit = source.repeat ? *source.repeat * double(source.samples) : INFINITY;
  return limit < double(kNoEnd / 2) ? std::int64_t(limit) : kNoEnd;
}

void MixPlan::check_repeats(const std::vector<Span>& spans, const DrawRequest& request) const {
  const std::int64_t end = request.first + request.count;
  const std::vector<std::int64_t> drawn = drawn_before(spans, end);
  for (std::size_t i = 0; i != sources_.size(); ++i) {
    const std::int64_t limit = limit_of(sources_[i]);
    if (drawn[i] <= limit) continue;
    std::int64_t enough = 0, beyond = end;  // positions: the last with enough, one without
    while (beyond - enough > 1) {
      const std::int64_t middle = enough + (beyond - enough) / 2;
      (drawn_before(spans, middle)[i] <= limit ? enough : beyond) = middle;
    }
    throw DataError("source " + sources_[i].name + " runs out: it has " +
                    std::to_string(sources_[i].samples) + " samples, its repeat allows " +
                    std::to_string(limit) + " draws, and the " +
                    std::to_string(request.total_steps) + " steps of the run take " +
                    std::to_string(drawn[i]) + "; they suffice for " + step_text(enough, request) +
                    " steps: make the run shorter, its weight smaller or repeat larger");
  }
}

std::vector<MixPlan::Draws> MixPlan::draws(const DrawRequest& request) const {
  const std::vector<Span> all = spans(request);
  check_repeats(all, request);
  std::vector<Draws> draws(sources_.size());
  std::size_t s = 0;
  for (std::int64_t i = 0; i != request.count; ++i) {
    const std::int64_t position = request.first + i;
    while (all[s].end <= position) ++s;
    const Apportionment::Turn turn = deals_[s].at(position - all[s].begin);
    Draws& of_source = draws[turn.share];
    if (of_source.places.empty()) of_source.number = all[s].drawn[turn.share] + turn.number;
    of_source.places.push_back(std::size_t(i));
  }
  return draws;
}

}  // namespace mortise::mixture
