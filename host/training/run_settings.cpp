#include "host/training/run_settings.hpp"

#include <filesystem>
#include <limits>

namespace mortise::host {
namespace {

template <class T>
std::optional<T> maybe(const Setting& root, std::string_view path, T (Setting::*as)() const) {
  const Setting* s = find_path(root, path);
  if (s == nullptr || !s->is_set()) return std::nullopt;
  return (s->*as)();
}
std::optional<std::int64_t> whole(const Setting& root, std::string_view path) {
  return maybe<std::int64_t>(root, path, &Setting::as_int);
}
std::optional<double> number(const Setting& root, std::string_view path) {
  return maybe<double>(root, path, &Setting::as_double);
}
std::optional<std::string> text(const Setting& root, std::string_view path) {
  const Setting* s = find_path(root, path);
  if (s == nullptr || !s->is_set()) return std::nullopt;
  return s->as_text();
}
std::optional<Amount> amount(const Setting& root, std::string_view path) {
  const Setting* s = find_path(root, path);
  if (s == nullptr || !s->is_set()) return std::nullopt;
  return s->as_amount();
}

Recompute read_recompute(const Setting& root) {
  Recompute recompute;
  const Setting* s = find_path(root, "recompute");
  if (s == nullptr || !s->is_set()) return recompute;
  if (s->is_text()) {
    if (s->as_text() == "all") recompute.kind = Recompute::Kind::all;
  } else if (s->is_map()) {
    recompute.kind = Recompute::Kind::every;
    recompute.every = s->at("every").as_int();
  } else {
    recompute.kind = Recompute::Kind::names;
    for (const Setting& name : s->as_list()) recompute.names.push_back(name.as_text());
  }
  return recompute;
}

void read_run(const Setting& root, RunSettings& r) {
  r.name = text(root, "run.name").value_or("run");
  r.folder = (std::filesystem::path(text(root, "run.folder").value_or("runs")) / r.name).string();
  r.seed = std::uint64_t(whole(root, "run.seed").value_or(0));
  r.data_seed = std::uint64_t(whole(root, "data.seed").value_or(std::int64_t(r.seed)));
  r.initializer_seed =
      std::uint64_t(whole(root, "initializer.seed").value_or(std::int64_t(r.seed)));
  r.steps = whole(root, "run.steps");
  r.tokens = whole(root, "run.tokens");
  r.epochs = number(root, "run.epochs");
  r.device = text(root, "run.device").value_or("auto");
  const Setting* communicator = find_path(root, "run.communicator");
  r.chooses_communicator = communicator->is_text() && communicator->as_text() == "auto";
  r.stop_after_seconds = number(root, "run.stop_after");
  r.timeout_seconds = number(root, "run.timeout").value_or(300);
  r.checks_collectives = text(root, "run.check") == "collectives";
  r.peak_flops = number(root, "run.peak_flops");
  if (const auto metric = text(root, "run.early_stop.metric"))
    r.early_stop = {*metric, whole(root, "run.early_stop.patience").value_or(8),
                    number(root, "run.early_stop.min_delta").value_or(0)};
}

void read_batch(const Setting& root, RunSettings& r) {
  r.sequence_length = *whole(root, "batch.sequence_length");
  r.sequences = whole(root, "batch.sequences")
                    .value_or(whole(root, "batch.tokens").value_or(0) / r.sequence_length);
  r.micro_batch = whole(root, "batch.micro_batch").value_or(default_micro_batch(r.sequences));
  r.isolates_documents = text(root, "data.documents").value_or("joined") == "isolated";
  for (AxisSize& axis : r.mesh.axes)
    if (const Setting* size = find_path(root, "mesh." + axis.name);
        size != nullptr && !size->is_text() && size->is_set())
      axis.size = size->as_int();
}

void read_gradients(const Setting& root, RunSettings& r) {
  r.clip_norm = number(root, "gradients.clip_norm");
  const std::string norm = text(root, "gradients.norm").value_or("2");
  r.norm = norm == "inf" ? std::numeric_limits<double>::infinity() : std::stod(norm);
  r.max_skipped = whole(root, "gradients.max_skipped").value_or(10);
  r.recompute = read_recompute(root);
  const std::string compute =
      text(root, "precision.compute").value_or(r.device == "cuda" ? "bfloat16" : "float32");
  if (compute == "bfloat16") r.compute = DType::bfloat16;
}

void read_intervals(const Setting& root, RunSettings& r) {
  r.eval_every = amount(root, "eval.every");
  r.hold_out = amount(root, "eval.hold_out");
  r.eval_tokens = whole(root, "eval.tokens");
  if (const Setting* sets = find_path(root, "eval.sets"); sets != nullptr && sets->is_map())
    for (const Entry& e : sets->as_map()) r.eval_sets.push_back(e.key);
  r.checkpoint_every = amount(root, "checkpoint.every");
  r.keep_every = amount(root, "checkpoint.keep_every");
  r.keep = whole(root, "checkpoint.keep").value_or(2);
  r.best_metric = text(root, "checkpoint.best.metric");
  r.best_keep = whole(root, "checkpoint.best.keep").value_or(1);
  const Setting* partial = find_path(root, "checkpoint.allow_partial");
  r.allow_partial = partial != nullptr && partial->is_set() && partial->as_bool();
  r.log_every = amount(root, "log.every").value_or(Amount{10, Amount::Unit::steps});
}

}  // namespace

std::int64_t default_micro_batch(std::int64_t sequences) {
  for (std::int64_t m = 8; m > 1; --m)
    if (sequences % m == 0) return m;
  return 1;
}

RunSettings read_run_settings(const Setting& root) {
  RunSettings r;
  read_run(root, r);
  read_batch(root, r);
  read_gradients(root, r);
  read_intervals(root, r);
  return r;
}

}  // namespace mortise::host
