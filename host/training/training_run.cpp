#include "host/training/training_run.hpp"

#include <ATen/ops/scalar_tensor.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/distributed/gather_text.hpp"
#include "host/distributed/whereabouts.hpp"
#include "host/engine/model_flops.hpp"
#include "host/training/data_feed.hpp"
#include "host/training/horizon.hpp"
#include "host/training/peak_flops.hpp"
#include "host/training/peak_memory.hpp"
#include "host/training/performance.hpp"
#include "host/training/run_checkpoints.hpp"
#include "host/training/run_opening.hpp"
#include "host/training/source_metrics.hpp"
#include "host/training/start_report.hpp"
#include "host/training/stop_request.hpp"
#include "host/wiring/crash_report.hpp"
#include "host/wiring/failure_of_error.hpp"

namespace mortise::host {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What the ranks' models have recorded in a step, summed by name. Collective.
std::map<std::string, double> sum_records(Communicator& group, const StepOutput& output) {
  nlohmann::json mine = nlohmann::json::object();
  for (const auto& [name, value] : output.records) mine[name] = value.item<double>();
  std::map<std::string, double> sums;
  for (const std::string& text : gather_text(group, mine.dump())) {
    const nlohmann::json theirs = nlohmann::json::parse(text);
    for (const auto& [name, value] : theirs.items())
      sums[name] += value.is_number() ? value.get<double>() : NAN;
  }
  return sums;
}

class TrainingRun {
 public:
  TrainingRun(const TrainingParts& parts, std::vector<MetricLog::Sink> sinks)
      : parts_(parts),
        s_(parts.settings),
        engine_(parts.model.engine()),
        group_(parts.model.everyone()),
        horizon_(s_, parts.data.train().size()),
        metrics_(std::move(sinks), parts.log),
        checkpoints_(
            s_, parts.model, parts.log,
            {parts.request.resolved, parts.request.plugins, parts.data.train().size(), {}}),
        opening_({parts.request, s_, horizon_, parts.log}),
        feed_({parts.data.train(), parts.data.order(), geometry(), form(), horizon_}) {
    if (s_.eval_every) eval_interval_ = horizon_.interval(*s_.eval_every, "eval.every");
    if (s_.checkpoint_every)
      checkpoint_interval_ = horizon_.interval(*s_.checkpoint_every, "checkpoint.every");
    if (s_.keep_every)
      keep_interval_ = horizon_.interval(*s_.keep_every, "checkpoint.keep_every").value_or(0);
    log_interval_ = horizon_.interval(s_.log_every, "log.every").value_or(1);
  }
  ~TrainingRun() {
    parts_.log.show_through({});
    flush();
  }
  TrainingRun(const TrainingRun&) = delete;

  Exit run() {
    listen_for_stop();
    const RunStart start = open_folder();
    if (start.kind == RunStart::Kind::finished) return Exit::done;
    try {
      make_weights(start);
      begin();
      if (at_.step == 0) evaluate();  // a run that goes on has done so where it was due
      while (at_.step < horizon_.total_steps && !stop_) one_step();
      return end();
    } catch (const Error& e) {
      const Failure failure = failure_of(e, "training, " + place_of(whereabouts()));
      leave(failure);
      throw failure;
    } catch (const Failure& failure) {
      leave(failure);
      throw;
    } catch (const std::exception& e) {
      leave(Failure("", Exit::bug, e.what()));
      throw;
    }
  }

 private:
  bool first_rank() const { return group_.rank() == 0; }
  // The run has failed.
  void leave(const Failure& failure) noexcept {
    engine_.abort();
    write_last_record();
    keep_in_log(failure);
    if (first_rank() && at_.step == 0) opening_.undo();
  }
  // The log of the run has what ended it, whichever rank has met it; that a peer is lost, once.
  void keep_in_log(const Failure& failure) const noexcept try {
    const std::string text = failure.what();
    const std::filesystem::path file = RunFolder(s_.folder).log();
    if (text.empty() || (!first_rank() && failure.exit() == Exit::ranks)) return;
    if (!first_rank() && std::filesystem::exists(file)) parts_.log.open_file(file.string());
    parts_.log.keep(LogSeverity::error, text);
  } catch (const std::exception&) {  // it is told in any case
  }
  BatchGeometry geometry() const {
    const Communicator& dealt = engine_.layout().micro_batches();
    return {s_.sequences, s_.micro_batch, dealt.rank(), dealt.size()};
  }
  SampleForm form() const {
    return {s_.sequence_length, parts_.model.vocabulary_size(), s_.isolates_documents};
  }

  // Rank 0 looks and decides; the others learn it from its text: the exit code of a failure that
  // it tells, or how the run begins.
  RunStart open_folder() {
    std::optional<Failure> failed;
    nlohmann::json mine;
    if (first_rank()) {
      try {
        const RunStart start = opening_.open();
        mine = {
            {"kind", int(start.kind)}, {"step", start.step}, {"from", start.checkpoint.string()}};
        whereabouts().saves_in(s_.folder);
      } catch (const Failure& f) {
        failed = f;
        mine = {{"exit", int(f.exit())}};
      }
    }
    write_crash_reports_to(RunFolder(s_.folder).crash_report(group_.rank()));
    const nlohmann::json told = nlohmann::json::parse(gather_text(group_, mine.dump())[0]);
    if (failed) throw *failed;
    if (told.contains("exit")) throw Failure("", Exit(told["exit"].get<int>()), "");
    return {RunStart::Kind(told["kind"].get<int>()), told["step"].get<std::int64_t>(),
            told["from"].get<std::string>()};
  }

  void make_weights(const RunStart& start) {
    if (start.checkpoint.empty())
      engine_.parameters().initialize(parts_.model.initializer(), s_.initializer_seed);
    else
      at_ = checkpoints_.load(start.checkpoint);
    saved_step_ = start.checkpoint.empty() ? -1 : at_.step;
    if (!first_rank()) return;
    opening_.commit();
    checkpoints_.note_changes(opening_.history());
  }

  void begin() {
    RunInfo info{s_.name, s_.folder, at_.step, horizon_.total_steps, horizon_.tokens_per_step};
    info.terminal = isatty(STDOUT_FILENO) == 1;
    measure_peak();
    info.report = start_report(s_, horizon_, parts_.model, parts_.data, at_.step);
    info.report.push_back(compute_line(performance_, s_.peak_flops.has_value()));
    for (const std::string& line : info.report) parts_.log.write(LogSeverity::debug, line);
    if (first_rank()) {
      metrics_.begin(info);
      parts_.log.show_through(
          [this](LogSeverity v, const std::string& text) { metrics_.message(v, text); });
    }
    feed_.start(at_.step);
    started_ = last_save_ = Clock::now();
    engine_.clock().lap();
    whereabouts().step = at_.step;
    whereabouts().phase = RunPhase::training;
  }

  // Over all ranks. Collective.
  void measure_peak() {
    at::Tensor sum = at::scalar_tensor(
        s_.peak_flops ? *s_.peak_flops : measured_peak_flops(s_.compute, engine_.layout().device()),
        at::kDouble);
    group_.all_reduce(sum, ReduceOp::sum)->wait();
    const auto tokens = double(horizon_.tokens_per_step);
    performance_ = {tokens, tokens * training_flops_per_token(engine_.chains(), s_.sequence_length),
                    sum.item<double>()};
  }

  void one_step() {
    engine_.clock().enter(StepPhase::data_wait);
    StepInput input{at_.step, s_.micro_batches(), next_rounds()};
    engine_.clock().enter(StepPhase::host);
    input.learning_rate_factor = parts_.schedule.factor(horizon_.progress(at_.step));
    input.stop_requested = wants_to_stop();
    input.save_requested = first_rank() && save_is_due_by_time();
    StepOutput output = engine_.train(input);
    consume_pending();
    pending_ = std::move(output);
    pending_rate_ = engine_.optimizers().learning_rate() * input.learning_rate_factor;
    pending_times_ = engine_.clock().lap();
    whereabouts().step = ++at_.step;
    if (computes_in_place()) consume_pending();  // so that a finished step is on the disk
    at_boundary();
  }
  // Whether nothing is under way when a step returns.
  bool computes_in_place() const {
    const TensorList& leaves = engine_.parameters().leaves();
    return std::all_of(leaves.begin(), leaves.end(),
                       [](const at::Tensor& t) { return !t.defined() || t.is_cpu(); });
  }

  Rounds next_rounds() {
    try {
      return feed_.next(at_.step);
    } catch (const Error& e) {
      throw failure_of(e, "data.train, " + place_of(whereabouts()));
    }
  }

  void at_boundary() {
    const bool last = at_.step == horizon_.total_steps;
    const bool evaluates = last || (eval_interval_ && at_.step % *eval_interval_ == 0);
    const bool saves =
        (checkpoint_interval_ && at_.step % *checkpoint_interval_ == 0) || save_asked_;
    if (evaluates || saves) consume_pending();
    if (evaluates) evaluate();
    if (saves && !last) save();
    if (evaluates || saves) engine_.clock().lap();  // belongs to no step
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
    StepRecord record = record_of(output, values);
    if (record.shown) add_component_metrics(record, output);
    if (first_rank()) metrics_.write(record);
    count_skipped(values, output.step + 1);
  }

  // Of a step that was done before this rank failed: without what needs the other ranks.
  void write_last_record() noexcept {
    if (!pending_ || !first_rank()) return;
    try {
      metrics_.write(record_of(*pending_, read(*pending_)));
    } catch (const std::exception&) {  // what ended the run is told
    }
  }

  StepRecord record_of(const StepOutput& output, const StepValues& values) const {
    const std::int64_t done = output.step + 1;
    StepRecord record{done,
                      {{"train/loss", values.loss},
                       {"train/grad_norm", double(float(values.norm))},
                       {"train/learning_rate", pending_rate_},
                       {"data/epoch", horizon_.epochs(done)},
                       {"data/tokens", double(done) * double(horizon_.tokens_per_step)},
                       {"memory/peak_bytes", double(peak_memory_bytes())}}};
    if (const at::Device device = engine_.layout().device(); device.is_cuda())
      record.values.push_back({"memory/device_peak_bytes", double(peak_memory_bytes_of(device))});
    performance_.add(pending_times_, record);
    record.shown = done % log_interval_ == 0 || done == horizon_.total_steps || done == 1;
    return record;
  }

  void add_component_metrics(StepRecord& record, const StepOutput& output) {
    std::map<std::string, double> records = sum_records(group_, output);
    const DrawRequest until = horizon_.positions(record.step * s_.sequences, 0);
    add_source_metrics(parts_.data.train().sources(until), s_.sequence_length, records, record);
    for (const auto& [name, sum] : records) record.values.push_back({name, sum});
    for (const auto& [name, value] : parts_.component_metrics())
      record.values.push_back({name, value});
  }

  void count_skipped(const StepValues& values, std::int64_t done) {
    at_.skipped_in_a_row = values.skipped ? at_.skipped_in_a_row + 1 : 0;
    if (!values.skipped) return;
    if (first_rank())
      parts_.log.warning("step " + std::to_string(done) +
                         " is skipped: the gradient norm is not finite (loss " +
                         (std::isnan(values.loss) ? "nan" : std::to_string(values.loss)) + ")");
    if (at_.skipped_in_a_row <= s_.max_skipped) return;
    throw Failure("T0101", Exit::training,
                  "error[T0101]: " + std::to_string(at_.skipped_in_a_row) +
                      " steps in a row were skipped because the gradient norm is not finite "
                      "(gradients.max_skipped: " +
                      std::to_string(s_.max_skipped) +
                      "): lower the learning rate or clip gradients; checkpoints that were saved "
                      "before stay in " +
                      s_.folder + "/checkpoints\n  to see what was not finite first:  " +
                      parts_.request.replay + " --step " +
                      std::to_string(done - at_.skipped_in_a_row + 1));
  }

  void evaluate() {
    if (parts_.data.evaluation().empty()) return;
    whereabouts().phase = RunPhase::evaluation;
    StepRecord record{at_.step, {}};
    for (const auto& set : parts_.data.evaluation()) {
      const Metric metric{"eval/" + set.name + "/loss", loss_on(*set.data)};
      if (s_.best_metric == metric.name) checkpoints_.note_evaluation(at_.step, metric.value);
      watch(s_.early_stop, metric, at_.early_stop);
      record.values.push_back(metric);
      record.values.push_back({"eval/" + set.name + "/perplexity", std::exp(metric.value)});
    }
    if (first_rank()) metrics_.write(record);
    stop_ = stop_ || ends_early();
    whereabouts().phase = RunPhase::training;
  }
  bool ends_early() const { return !reason_to_stop(s_.early_stop, at_.early_stop).empty(); }

  double loss_on(const Dataset& data) {
    std::int64_t samples = data.size();
    if (s_.eval_tokens)
      samples = std::clamp<std::int64_t>(*s_.eval_tokens / s_.sequence_length, 1, samples);
    BatchGeometry part = geometry();
    part.sequences = samples;
    part.fills = engine_.layout().ranks_together() > 1;
    return engine_.evaluate({part.micro_batches(), evaluation_rounds(data, part, form())});
  }

  void save() {
    whereabouts().phase = RunPhase::saving;
    checkpoints_.save(at_, keep_interval_);
    saved_step_ = at_.step;
    whereabouts().phase = RunPhase::training;
    last_save_ = Clock::now();
    save_asked_ = false;
  }

  // However the run ends: a line that is being drawn is finished, files are complete.
  void flush() {
    try {
      metrics_.flush();
    } catch (const std::exception& e) {
      parts_.log.warning(e.what());
    }
  }

  Exit end() {
    consume_pending();
    if (saved_step_ != at_.step) save();
    const bool finished = at_.step >= horizon_.total_steps || ends_early();
    if (!first_rank()) return finished ? Exit::done : Exit::stopped;
    const std::string steps = std::to_string(at_.step);
    if (ends_early())
      parts_.log.info("ends early: " + reason_to_stop(s_.early_stop, at_.early_stop));
    parts_.log.info(finished ? "done: " + steps + " steps, everything is in " + s_.folder
                             : "stopped at step " + steps +
                                   " and saved; to go on:  " + parts_.request.command);
    return finished ? Exit::done : Exit::stopped;
  }

  const TrainingParts& parts_;
  const RunSettings& s_;
  Engine& engine_;
  Communicator& group_;
  Horizon horizon_;
  MetricLog metrics_;
  RunCheckpoints checkpoints_;
  RunOpening opening_;
  DataFeed feed_;
  std::optional<std::int64_t> eval_interval_, checkpoint_interval_;
  std::int64_t log_interval_ = 1, keep_interval_ = 0;

  RunProgress at_;
  bool stop_ = false, save_asked_ = false;
  std::optional<StepOutput> pending_;
  double pending_rate_ = 0;
  StepTimes pending_times_;
  Performance performance_;
  std::int64_t saved_step_ = -1;
  Clock::time_point started_, last_save_;
};

}  // namespace

Exit run_training(const TrainingParts& parts, std::vector<MetricLog::Sink> sinks) {
  try {
    return TrainingRun(parts, std::move(sinks)).run();
  } catch (const Error& e) {
    throw failure_of(e, "training");
  }
}

}  // namespace mortise::host
