#include "host/training/run_checkpoints.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/checkpoint/checkpoint_reader.hpp"
#include "host/distributed/gather_text.hpp"
#include "host/training/saved_state.hpp"

namespace mortise::host {

RunCheckpoints::RunCheckpoints(const RunSettings& settings, ModelProgram& model, RunLog& log,
                               Texts texts)
    : settings_(settings),
      model_(model),
      log_(log),
      texts_(std::move(texts)),
      folder_(settings.folder),
      writer_(folder_.checkpoints(),
              {model.everyone().rank(), model.everyone().size(),
               [&model](const std::string& mine) { return gather_text(model.everyone(), mine); }},
              [&log](const std::string& text) { log.warning(text); }) {}

bool RunCheckpoints::first_rank() const { return model_.everyone().rank() == 0; }

nlohmann::ordered_json RunCheckpoints::state(const RunProgress& progress) const {
  nlohmann::ordered_json best = nlohmann::ordered_json::object();
  for (const auto& [step, value] : evaluations_) best[std::to_string(step)] = value;
  return {{"step", progress.step},
          {"samples", progress.step * settings_.sequences},
          {"tokens", progress.step * settings_.tokens_per_step()},
          {"seed", settings_.seed},
          {"data_seed", settings_.data_seed},
          {"skipped_in_a_row", progress.skipped_in_a_row},
          {"best", best},
          {"plugins", texts_.plugins},
          {"config", texts_.config}};
}

std::vector<std::int64_t> RunCheckpoints::best_steps() const {
  std::vector<std::pair<double, std::int64_t>> all;
  for (const auto& [step, value] : evaluations_) all.emplace_back(value, step);
  std::sort(all.begin(), all.end());
  std::vector<std::int64_t> best;
  for (std::size_t i = 0; i != all.size() && std::int64_t(i) < settings_.best_keep; ++i)
    best.push_back(all[i].second);
  return best;
}

void RunCheckpoints::save(const RunProgress& progress, std::int64_t keep_every) {
  model_.engine().announce_checkpoint(progress.step);
  writer_.save(content_of(model_, progress.step), state(progress));
  if (!first_rank()) return;
  CheckpointFolder(folder_.checkpoints(), [this](const std::string& text) {
    log_.warning(text);
  }).apply({settings_.keep, keep_every, best_steps()});
  log_.info("saved step " + std::to_string(progress.step));
}

RunProgress RunCheckpoints::load(const std::string& which) {
  const CheckpointFolder found(folder_.checkpoints(), [this](const std::string& text) {
    if (first_rank()) log_.warning(text);  // all look at the same folder
  });
  Communicator& group = model_.everyone();
  const Checkpoint checkpoint =
      Checkpoint::open(found.resolve(which), {group.rank(), group.size()});
  const std::string differences = load_into(model_, checkpoint, settings_.allow_partial);
  if (!differences.empty() && first_rank()) log_.warning("loaded in part:\n" + differences);
  const nlohmann::ordered_json state = checkpoint.state();
  const auto best = state.value("best", nlohmann::ordered_json::object());
  for (const auto& [step, value] : best.items())
    if (value.is_number()) evaluations_[std::stoll(step)] = value.get<double>();
  log_.info("goes on at step " + std::to_string(checkpoint.step()) + " from " +
            checkpoint.folder().string());
  return {checkpoint.step(), state.value("skipped_in_a_row", std::int64_t(0))};
}

}  // namespace mortise::host
