#include "host/training/replay.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/checkpoint/checkpoint_reader.hpp"
#include "host/distributed/gather_text.hpp"
#include "host/failure.hpp"
#include "host/training/data_feed.hpp"
#include "host/training/horizon.hpp"
#include "host/training/recorded_losses.hpp"
#include "host/training/saved_state.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxText = 200;  // bytes of a sequence that are shown
constexpr std::size_t kMaxSequences = 4;

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Printable, of bounded length, never half a character.
std::string excerpt(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, kMaxText))
    out += c == '\n' ? ' ' : static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  if (text.size() > kMaxText) {
    while (!out.empty() && (static_cast<unsigned char>(text[out.size()]) & 0xC0u) == 0x80u)
      out.pop_back();
    out += "…";
  }
  return out;
}

class Replay {
 public:
  Replay(const ReplayParts& parts, const ReplayRequest& request)
      : parts_(parts),
        s_(parts.settings),
        request_(request),
        group_(parts.model.everyone()),
        horizon_(s_, parts.data.train().size()),
        geometry_{s_.sequences, s_.micro_batch, dealt().rank(), dealt().size()} {}

  std::string run() {
    if (request_.step > horizon_.total_steps)
      throw Failure("C0906", Exit::configuration,
                    "error[C0906]: --step " + std::to_string(request_.step) + ": the run has " +
                        std::to_string(horizon_.total_steps) + " steps");
    load();
    compare(RecordedLosses(request_.run / "metrics.jsonl"));
    const Json mine = found_here();
    std::vector<Json> all;
    for (const std::string& text : gather_text(group_, mine.dump(-1, ' ', false, kReplace)))
      all.push_back(Json::parse(text));
    for (const char* what : {"unit", "parameter"}) result_[what] = first_of(all, what);
    const bool finite = result_["unit"].is_null() && result_["parameter"].is_null() &&
                        std::isfinite(values_.loss) && std::isfinite(values_.norm);
    result_["finite"] = finite;
    if (!finite) result_["batch"] = batch_text();
    return request_.json ? result_.dump(-1, ' ', false, kReplace) : text();
  }

 private:
  // The ranks over which micro-batches are spread.
  Communicator& dealt() const { return parts_.model.engine().layout().micro_batches(); }
  SampleForm form(std::int64_t vocabulary) const {
    return {s_.sequence_length, vocabulary, s_.isolates_documents};
  }
  static constexpr auto kReplace = Json::error_handler_t::replace;

  void load() {
    if (request_.checkpoint.empty()) {
      parts_.model.engine().parameters().initialize(parts_.model.initializer(),
                                                    s_.initializer_seed);
      return;
    }
    const Checkpoint checkpoint =
        Checkpoint::open(request_.checkpoint, {group_.rank(), group_.size()});
    load_into(parts_.model, checkpoint, false);
    from_ = checkpoint.step();
  }

  void compare(const RecordedLosses& recorded) {
    DataFeed feed({parts_.data.train(), parts_.data.order(), geometry_,
                   form(parts_.model.vocabulary_size()), horizon_});
    std::int64_t compared = 0;
    Json differ = Json::array();
    for (std::int64_t step = from_; step != request_.step; ++step) {
      if (step + 1 == request_.step) parts_.watch.start(parts_.model.engine().parameters());
      StepInput input{step, s_.micro_batches(), feed.next(step)};
      input.learning_rate_factor = parts_.schedule.factor(horizon_.progress(step));
      output_ = parts_.model.engine().train(input);
      values_ = read(output_);
      const auto loss = recorded.of(step + 1);
      if (!loss) continue;
      ++compared;
      const bool same =
          *loss == values_.loss || (!std::isfinite(*loss) && !std::isfinite(values_.loss));
      if (!same)
        differ.push_back(
            {{"step", step + 1}, {"recorded", number(*loss)}, {"now", number(values_.loss)}});
    }
    parts_.watch.finish();
    result_ = {{"step", request_.step},        {"run", request_.run.string()},
               {"from_step", from_},           {"checkpoint", request_.checkpoint.string()},
               {"loss", number(values_.loss)}, {"grad_norm", number(values_.norm)},
               {"compared", compared},         {"differ", differ}};
  }

  // What this rank's watch has found, and on the first one what the losses of micro-batches tell
  // about the last unit, whose output is the loss.
  Json found_here() const {
    const Names units = parts_.model.units();
    Json mine = {{"unit", nullptr}, {"parameter", nullptr}};
    const auto put = [&](std::int64_t unit, std::int64_t micro_batch, const std::string& phase,
                         std::int64_t row) {
      mine["unit"] = {
          {"name", units[std::size_t(unit)]},
          {"phase", phase},
          {"micro_batch", micro_batch},
          {"row", row},
          {"order",
           {micro_batch, phase == "forward" ? unit : 2 * std::int64_t(units.size()) - unit}}};
    };
    if (const auto& u = parts_.watch.unit()) put(u->unit, u->micro_batch, u->phase, u->row);
    const std::int64_t bad = first_bad_loss();
    const bool earlier = mine["unit"].is_null() || bad < mine["unit"]["micro_batch"] ||
                         (bad == mine["unit"]["micro_batch"] && mine["unit"]["phase"] != "forward");
    if (group_.rank() == 0 && bad >= 0 && earlier)
      put(std::int64_t(units.size()) - 1, bad, "forward", -1);
    if (const auto& p = parts_.watch.parameter())
      mine["parameter"] = {{"name", p->name},
                           {"what", p->what},
                           {"micro_batch", p->micro_batch},
                           {"order",
                            {p->what == "value before the step" ? -1
                             : p->micro_batch < 0               ? s_.micro_batches()
                                                                : p->micro_batch,
                             0}}};
    return mine;
  }

  std::int64_t first_bad_loss() const {
    const at::Tensor by_rank = output_.values.cpu();
    for (std::int64_t k = 0; k != s_.micro_batches(); ++k)
      if (!std::isfinite(by_rank[k % by_rank.size(0)][k / by_rank.size(0)].item<double>()))
        return k;
    return -1;
  }

  static Json first_of(const std::vector<Json>& all, const char* what) {
    Json first = nullptr;
    for (const Json& one : all)
      if (!one[what].is_null() && (first.is_null() || one[what]["order"] < first["order"]))
        first = one[what];
    if (!first.is_null()) first.erase("order");
    return first;
  }

  // The sequences of the micro-batch in which it was found, or the one sequence.
  Json batch_text() const {
    std::int64_t micro_batch = 0, row = -1;
    if (!result_["unit"].is_null()) {
      micro_batch = result_["unit"]["micro_batch"];
      row = result_["unit"]["row"];
    }
    const Dataset& data = parts_.data.train();
    const std::int64_t from = micro_batch * s_.micro_batch;
    const DrawRequest draw = horizon_.positions((request_.step - 1) * s_.sequences + from,
                                                std::min(s_.micro_batch, s_.sequences - from));
    const std::vector<std::int64_t> indices = data.draw(parts_.data.order(), draw);
    Json all = Json::array();
    for (std::size_t i = 0; i != indices.size() && all.size() != kMaxSequences; ++i)
      if (row < 0 || row == std::int64_t(i))
        all.push_back({{"sample", indices[i]},
                       {"where", data.where(indices[i])},
                       {"text", text_of(data, indices[i])}});
    return all;
  }

  std::string text_of(const Dataset& data, std::int64_t index) const {
    const Batch batch = batch_of(data, {index}, form(0));
    const at::Tensor& tokens = batch["tokens"];
    const auto* ids = tokens.const_data_ptr<std::int64_t>();
    if (parts_.model.tokenizer() != nullptr) {
      const std::vector<std::uint32_t> all(ids, ids + tokens.numel());
      return excerpt(parts_.model.tokenizer()->decode(all));
    }
    std::string text;
    for (std::int64_t i = 0; i != tokens.numel() && text.size() < kMaxText; ++i)
      text += (i == 0 ? "" : " ") + std::to_string(ids[i]);
    return "ids " + excerpt(text);
  }

  std::string text() const {
    std::string text =
        "step " + std::to_string(request_.step) + " of " + request_.run.string() +
        ", repeated from " +
        (request_.checkpoint.empty() ? "the first weights" : request_.checkpoint.string()) + "\n" +
        comparison();
    const std::string numbers =
        "loss " + shown(values_.loss) + ", gradient norm " + shown(values_.norm) + "\n";
    if (result_["finite"]) return text + "everything in this step is finite: " + numbers;
    text += numbers;
    if (const Json& u = result_["unit"]; !u.is_null())
      text += "first unit that is not finite:       " + u["name"].get<std::string>() + ", " +
              u["phase"].get<std::string>() + ", micro-batch " + u["micro_batch"].dump() + "\n";
    if (const Json& p = result_["parameter"]; !p.is_null())
      text += "first parameter that is not finite:  " + p["name"].get<std::string>() + ", " +
              p["what"].get<std::string>() +
              (p["micro_batch"] < 0 ? "" : ", micro-batch " + p["micro_batch"].dump()) + "\n";
    for (const Json& sequence : result_["batch"])
      text += "  " + sequence["where"].get<std::string>() + ": \"" +
              sequence["text"].get<std::string>() + "\"\n";
    return text;
  }

  std::string comparison() const {
    const std::string of = result_["compared"].dump() + " recorded losses";
    if (result_["compared"] == 0)
      return "no loss of these steps is recorded: whether they are repeated exactly cannot be "
             "told\n";
    if (result_["differ"].empty()) return "repeated exactly: " + of + " are the same\n";
    const Json& first = result_["differ"][0];
    return "not repeated exactly: " + std::to_string(result_["differ"].size()) + " of " + of +
           " differ, first at step " + first["step"].dump() + " (" + first["recorded"].dump() +
           " recorded, " + first["now"].dump() +
           " now): other plugins, threads or number of ranks\n";
  }

  const ReplayParts& parts_;
  const RunSettings& s_;
  const ReplayRequest& request_;
  Communicator& group_;
  Horizon horizon_;
  BatchGeometry geometry_;
  std::int64_t from_ = 0;
  StepOutput output_;
  StepValues values_;
  Json result_;
};

}  // namespace

std::string replay(const ReplayParts& parts, const ReplayRequest& request) {
  return Replay(parts, request).run();
}

}  // namespace mortise::host
