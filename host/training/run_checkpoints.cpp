#include "host/training/run_checkpoints.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/checkpoint/checkpoint_reader.hpp"
#include "host/checkpoint/partial_folder.hpp"
#include "host/distributed/gather_text.hpp"
#include "host/training/saved_state.hpp"

namespace mortise::host {

RunCheckpoints::RunCheckpoints(const RunSettings& settings, ModelProgram& model, RunLog& log,
                               Facts facts)
    : settings_(settings),
      model_(model),
      log_(log),
      facts_(std::move(facts)),
      folder_(settings.folder),
      writer_(folder_.checkpoints(),
              {model.everyone().rank(), model.everyone().size(),
               [&model](const std::string& mine) { return gather_text(model.everyone(), mine); }},
              [&log](const std::string& text) { log.warning(text); }) {}

bool RunCheckpoints::first_rank() const { return model_.everyone().rank() == 0; }

void RunCheckpoints::note_evaluation(std::int64_t step, double value) {
  if (std::isfinite(value)) evaluations_[step] = value;
}

nlohmann::ordered_json RunCheckpoints::state(const RunProgress& progress) const {
  nlohmann::ordered_json best = nlohmann::ordered_json::object();
  for (const auto& [step, value] : evaluations_) best[std::to_string(step)] = value;
  return {{"step", progress.step},
          {"samples", progress.step * settings_.sequences},
          {"tokens", progress.step * settings_.tokens_per_step()},
          {"seed", settings_.seed},
          {"data_seed", settings_.data_seed},
          {"skipped_in_a_row", progress.skipped_in_a_row},
          {"early_stop", json_of(progress.early_stop)},
          {"best", best},
          {"train_samples", facts_.train_samples},
          {"plugins", facts_.plugins},
          {"changes", facts_.changes},
          {"config", facts_.config}};
}

// The best of those that are there: an evaluation of a step that was not saved names nothing.
std::vector<std::int64_t> RunCheckpoints::best_of(const std::vector<FoundCheckpoint>& there) const {
  std::vector<std::pair<double, std::int64_t>> all;
  for (const FoundCheckpoint& c : there)
    if (const auto value = evaluations_.find(c.step); value != evaluations_.end())
      all.emplace_back(value->second, c.step);
  std::sort(all.begin(), all.end());
  std::vector<std::int64_t> best;
  for (std::size_t i = 0; i != all.size() && std::int64_t(i) < settings_.best_keep; ++i)
    best.push_back(all[i].second);
  return best;
}

void RunCheckpoints::apply_retention(std::int64_t keep_every) const {
  const CheckpointFolder there(folder_.checkpoints(),
                               [this](const std::string& text) { log_.warning(text); });
  there.apply({settings_.keep, keep_every, best_of(there.complete())});
}

void RunCheckpoints::save(const RunProgress& progress, std::int64_t keep_every) {
  model_.engine().announce_checkpoint(progress.step);
  writer_.save(content_of(model_, progress.step), state(progress));
  if (!first_rank()) return;
  apply_retention(keep_every);
  log_.info("saved step " + std::to_string(progress.step));
}

RunProgress RunCheckpoints::load(const std::filesystem::path& folder) {
  if (first_rank())
    remove_leftovers(folder_.checkpoints(),
                     [this](const std::string& text) { log_.warning(text); });
  Communicator& group = model_.everyone();
  const Checkpoint checkpoint = Checkpoint::open(folder, {group.rank(), group.size()});
  const std::string differences = load_into(model_, checkpoint, settings_.allow_partial);
  if (!differences.empty() && first_rank()) log_.warning("loaded in part:\n" + differences);
  const nlohmann::ordered_json state = checkpoint.state();
  const auto best = state.value("best", nlohmann::ordered_json::object());
  for (const auto& [step, value] : best.items())
    if (value.is_number()) note_evaluation(std::stoll(step), value.get<double>());
  return {checkpoint.step(), state.value("skipped_in_a_row", std::int64_t(0)),
          early_stop_of(state)};
}

}  // namespace mortise::host
