#include "host/training/training_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/distributed/gather_text.hpp"
#include "host/training/horizon.hpp"
#include "host/training/peak_memory.hpp"
#include "host/training/saved_state.hpp"
#include "host/training/start_report.hpp"
#include "host/training/stop_request.hpp"
#include "host/wiring/failure_of_error.hpp"

namespace mortise::host {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

class TrainingRun::Loop {
 public:
  Loop(TrainingRun& run, std::vector<MetricLog::Sink> sinks, LearningRateSchedule& schedule)
      : run_(run),
        s_(run.settings_),
        engine_(run.model_.engine()),
        group_(run.model_.data_parallel()),
        folder_(s_.folder),
        horizon_(s_, run.data_.train().size()),
        schedule_(schedule),
        metrics_(std::move(sinks), run.log_),
        writer_(folder_.checkpoints(), saving_ranks(),
                [this](const std::string& t) { run_.log_.warning(t); }),
        feed_(run.data_.train(), run.data_.order(), geometry(), run.model_.vocabulary_size()) {
    if (s_.eval_every) eval_interval_ = horizon_.interval(*s_.eval_every, "eval.every");
    if (s_.checkpoint_every)
      checkpoint_interval_ = horizon_.interval(*s_.checkpoint_every, "checkpoint.every");
    log_interval_ = horizon_.interval(s_.log_every, "log.every").value_or(1);
  }
  ~Loop() { run_.log_.show_through({}); }

  Exit run() {
    open_folder();
    begin();
    evaluate();
    while (step_ < horizon_.total_steps && !stop_) one_step();
    return end();
  }

 private:
  bool first_rank() const { return run_.rank_ == 0; }
  SavingRanks saving_ranks() {
    return {run_.rank_, group_.size(),
            [this](const std::string& mine) { return gather_text(group_, mine); }};
  }
  BatchGeometry geometry() const {
    return {s_.sequences, s_.micro_batch, s_.sequence_length, group_.rank(), group_.size()};
  }

  // Rank 0 looks and makes; the others learn by its text whether that went well.
  void open_folder() {
    std::string failed;
    Exit exit = Exit::done;
    if (first_rank()) {
      try {
        if (!run_.request_.resume) folder_.require_new(run_.request_.command);
        folder_.create();
        if (!run_.request_.resume) folder_.write(folder_.config(), run_.request_.resolved);
        run_.log_.open_file((folder_.path() / "run.log").string());
      } catch (const Failure& f) {
        failed = f.what();
        exit = f.exit();
      }
    }
    const std::vector<std::string> all =
        gather_text(group_, failed.empty() ? "" : failed + char(int(exit)));
    if (all[0].empty()) return;
    if (!first_rank()) throw Failure("", Exit(all[0].back()), "");  // rank 0 says it
    throw Failure("K0104", exit, failed);
  }

  void begin() {
    if (run_.request_.resume)
      resume();
    else
      engine_.parameters().initialize(run_.model_.initializer(), s_.initializer_seed);
    RunInfo info{s_.name, folder_.path().string(), step_, horizon_.total_steps,
                 horizon_.tokens_per_step};
    info.terminal = isatty(STDERR_FILENO) == 1;
    info.report = start_report(s_, horizon_, run_.model_, run_.data_, step_);
    for (const std::string& line : info.report) run_.log_.write(LogSeverity::debug, line);
    if (first_rank()) {
      metrics_.begin(info);
      run_.log_.show_through(
          [this](LogSeverity v, const std::string& t) { metrics_.message(v, t); });
    }
    listen_for_stop();
    started_ = last_step_ = Clock::now();
    last_save_ = Clock::now();
  }

  void resume() {
    const CheckpointFolder found(folder_.checkpoints(),
                                 [this](const std::string& t) { run_.log_.warning(t); });
    const Checkpoint checkpoint =
        Checkpoint::open(found.resolve(*run_.request_.resume), {group_.rank(), group_.size()});
    const std::string differences = load_into(engine_, checkpoint, true, s_.allow_partial);
    if (!differences.empty()) run_.log_.warning("loaded in part:\n" + differences);
    step_ = checkpoint.step();
    const auto state = checkpoint.state();
    skipped_ = state.value("skipped_in_a_row", std::int64_t(0));
    const auto best = state.value("best", nlohmann::ordered_json::object());
    for (const auto& [name, value] : best.items())
      evaluations_[std::stoll(name)] = value.get<double>();
    run_.log_.info("goes on at step " + std::to_string(step_) + " from " +
                   checkpoint.folder().string());
  }

  void one_step() {
    StepInput input{step_, s_.micro_batches(), next_rounds()};
    input.learning_rate_factor = schedule_.factor(horizon_.progress(step_));
    input.stop_requested = wants_to_stop();
    input.save_requested = first_rank() && save_is_due_by_time();
    StepOutput output = engine_.train(input);
    consume_pending();
    pending_ = std::move(output);
    pending_rate_ = engine_.optimizers().learning_rate() * input.learning_rate_factor;
    pending_ms_ = seconds_since(last_step_) * 1e3;
    last_step_ = Clock::now();
    ++step_;
    at_boundary();
  }

  Rounds next_rounds() {
    try {
      return feed_.next(step_);
    } catch (const Error& e) {
      throw failure_of(e, "data.train at step " + std::to_string(step_));
    }
  }

  void at_boundary() {
    const bool last = step_ == horizon_.total_steps;
    const bool evaluates = last || (eval_interval_ && step_ % *eval_interval_ == 0);
    const bool saves = (checkpoint_interval_ && step_ % *checkpoint_interval_ == 0) || save_asked_;
    if (evaluates || saves) consume_pending();
    if (evaluates) evaluate();
    if (saves && !last) save();
  }

  bool wants_to_stop() const {
    return stop_signal() != 0 ||
           (s_.stop_after_seconds && seconds_since(started_) >= *s_.stop_after_seconds);
  }
  bool save_is_due_by_time() const {
    return s_.checkpoint_every && s_.checkpoint_every->unit == Amount::Unit::seconds &&
           seconds_since(last_save_) >= s_.checkpoint_every->value;
  }

  // Reads what a step has left on the device, when the next one has been issued.
  void consume_pending() {
    if (!pending_) return;
    const StepOutput output = *std::exchange(pending_, std::nullopt);
    const StepValues values = read(output);
    stop_ = stop_ || values.stop;
    save_asked_ = values.save;
    const std::int64_t done = output.step + 1;
    count_skipped(values, done);
    if (!first_rank()) return;
    StepRecord record{done,
                      {{"train/loss", values.loss},
                       {"train/grad_norm", double(float(values.norm))},
                       {"train/learning_rate", pending_rate_}}};
    record.values.push_back({"perf/step_ms", pending_ms_});
    record.values.push_back(
        {"perf/tokens_per_second", double(horizon_.tokens_per_step) / pending_ms_ * 1e3});
    record.values.push_back({"data/epoch", horizon_.epochs(done)});
    record.values.push_back({"data/tokens", double(done * horizon_.tokens_per_step)});
    record.values.push_back({"memory/peak_bytes", double(peak_memory_bytes())});
    record.shown = done % log_interval_ == 0 || done == horizon_.total_steps || done == 1;
    metrics_.write(record);
  }

  void count_skipped(const StepValues& values, std::int64_t done) {
    skipped_ = values.skipped ? skipped_ + 1 : 0;
    if (!values.skipped) return;
    if (first_rank())
      run_.log_.warning("step " + std::to_string(done) +
                        " is skipped: the gradient norm is not finite (loss " +
                        std::to_string(values.loss) + ")");
    if (skipped_ <= s_.max_skipped) return;
    throw Failure("T0101", Exit::training,
                  "error[T0101]: " + std::to_string(skipped_) +
                      " steps in a row were skipped because the gradient norm is not finite "
                      "(gradients.max_skipped: " +
                      std::to_string(s_.max_skipped) +
                      "): lower the learning rate or clip gradients; the last checkpoint in " +
                      folder_.checkpoints().string() + " is from before");
  }

  void evaluate() {
    if (run_.data_.evaluation().empty()) return;
    StepRecord record{step_, {}};
    for (const auto& set : run_.data_.evaluation()) {
      std::int64_t samples = set.data->size();
      if (s_.eval_tokens)
        samples = std::clamp<std::int64_t>(*s_.eval_tokens / s_.sequence_length, 1, samples);
      BatchGeometry part = geometry();
      part.sequences = samples;
      const double loss = engine_.evaluate(
          {part.micro_batches(),
           evaluation_rounds(*set.data, samples, geometry(), run_.model_.vocabulary_size())});
      record.values.push_back({"eval/" + set.name + "/loss", loss});
      if (s_.best_metric == record.values.back().name) evaluations_[step_] = loss;
      watch(record.values.back());
    }
    if (first_rank()) metrics_.write(record);
    last_step_ = Clock::now();
  }

  void watch(const Metric& metric) {
    if (!s_.early_stop || metric.name != s_.early_stop->metric) return;
    if (metric.value < best_watched_ - s_.early_stop->min_delta) {
      best_watched_ = metric.value;
      without_better_ = 0;
    } else if (++without_better_ >= s_.early_stop->patience) {
      early_stop_ =
          metric.name + " has not fallen for " + std::to_string(without_better_) + " evaluations";
      stop_ = true;
    }
  }

  nlohmann::ordered_json state() const {
    nlohmann::ordered_json best = nlohmann::ordered_json::object();
    for (const auto& [step, value] : evaluations_) best[std::to_string(step)] = value;
    return {{"step", step_},
            {"samples", step_ * s_.sequences},
            {"tokens", step_ * horizon_.tokens_per_step},
            {"total_steps", horizon_.total_steps},
            {"seed", s_.seed},
            {"data_seed", s_.data_seed},
            {"skipped_in_a_row", skipped_},
            {"best", best},
            {"plugins", run_.request_.plugins},
            {"config", run_.request_.resolved}};
  }

  void save() {
    writer_.save(content_of(engine_, step_), state());
    last_save_ = Clock::now();
    save_asked_ = false;
    if (!first_rank()) return;
    Retention retention{s_.keep, 0, best_steps()};
    if (s_.keep_every)
      retention.keep_every = horizon_.interval(*s_.keep_every, "checkpoint.keep_every").value_or(0);
    CheckpointFolder(folder_.checkpoints(), [this](const std::string& t) {
      run_.log_.warning(t);
    }).apply(retention);
    run_.log_.info("saved step " + std::to_string(step_));
  }

  std::vector<std::int64_t> best_steps() const {
    std::vector<std::pair<double, std::int64_t>> all;
    for (const auto& [step, value] : evaluations_) all.emplace_back(value, step);
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> best;
    for (std::size_t i = 0; i != all.size() && std::int64_t(i) < s_.best_keep; ++i)
      best.push_back(all[i].second);
    return best;
  }

  Exit end() {
    consume_pending();
    save();
    const bool finished = step_ >= horizon_.total_steps || !early_stop_.empty();
    if (first_rank()) {
      if (!early_stop_.empty()) run_.log_.info("ends early: " + early_stop_);
      if (finished)
        run_.log_.info("done: " + std::to_string(step_) + " steps, everything is in " +
                       folder_.path().string());
      else
        run_.log_.info("stopped at step " + std::to_string(step_) +
                       " and saved; to go on:  " + run_.request_.command + " --resume latest");
      metrics_.flush();
    }
    return finished ? Exit::done : Exit::stopped;
  }

  TrainingRun& run_;
  const RunSettings& s_;
  Engine& engine_;
  Communicator& group_;
  RunFolder folder_;
  Horizon horizon_;
  LearningRateSchedule& schedule_;
  MetricLog metrics_;
  CheckpointWriter writer_;
  DataFeed feed_;
  std::optional<std::int64_t> eval_interval_, checkpoint_interval_;
  std::int64_t log_interval_ = 1;

  std::int64_t step_ = 0;
  bool stop_ = false, save_asked_ = false;
  std::optional<StepOutput> pending_;
  double pending_rate_ = 0, pending_ms_ = 0;
  std::int64_t skipped_ = 0;
  std::map<std::int64_t, double> evaluations_;  // of checkpoint.best.metric, by step
  double best_watched_ = INFINITY;
  std::int64_t without_better_ = 0;
  std::string early_stop_;
  Clock::time_point started_, last_step_, last_save_;
};

TrainingRun::TrainingRun(const TrainingRequest& request, const RunSettings& settings,
                         ModelProgram& model, DataProgram& data, RunLog& log, std::int64_t rank)
    : request_(request), settings_(settings), model_(model), data_(data), log_(log), rank_(rank) {}
TrainingRun::~TrainingRun() = default;

Exit TrainingRun::run(std::vector<MetricLog::Sink> sinks, LearningRateSchedule& schedule) {
  try {
    return Loop(*this, std::move(sinks), schedule).run();
  } catch (const Error& e) {
    throw failure_of(e, "training");
  }
}

}  // namespace mortise::host
