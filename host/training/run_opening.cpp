#include "host/training/run_opening.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/checkpoint/checkpoint_reader.hpp"
#include "host/failure.hpp"
#include "host/training/early_stop.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const std::string& value) {
  constexpr std::size_t kMaxShown = 200;
  if (value.empty()) return "not set";
  return value.size() <= kMaxShown ? value : value.substr(0, kMaxShown) + "…";
}

// "org.mortise.llama 0.1.0" of the lines that are not in `before`.
std::string other_builds(const std::string& before, const std::string& now) {
  std::string text;
  std::istringstream lines(now);
  for (std::string line; std::getline(lines, line);) {
    if (("\n" + before).find("\n" + line + "\n") != std::string::npos) continue;
    text += (text.empty() ? "" : ", ") + line.substr(0, line.rfind(' '));
  }
  return text;
}

// Steps that a run of those settings had, on the data of today.
std::int64_t length_of(const FlatSettings& before, RunSettings settings, std::int64_t samples) {
  settings.steps.reset(), settings.tokens.reset(), settings.epochs.reset();
  if (const std::string n = value_of(before, "run.steps"); !n.empty())
    settings.steps = std::stoll(n);
  else if (const std::string t = value_of(before, "run.tokens"); !t.empty())
    settings.tokens = std::stoll(t);
  else if (const std::string e = value_of(before, "run.epochs"); !e.empty())
    settings.epochs = std::stod(e);
  return Horizon(settings, samples).total_steps;
}

}  // namespace

RunOpening::RunOpening(const Parts& parts)
    : parts_(parts), folder_(parts.settings.folder), history_(folder_) {}

RunStart RunOpening::open() {
  if (folder_.is_new()) {
    if (parts_.request.resume) folder_.refuse_missing(parts_.request.command);
    make();
    return start_;
  }
  folder_.require_run(parts_.request.command);
  lock_.emplace(folder_.path());
  find_checkpoint();
  const Json state = start_.checkpoint.empty() ? Json::object() : read_state(start_.checkpoint);
  find_changes();
  look_at_data(state);
  require_accepted();
  judge_end(state);
  parts_.log.open_file(folder_.log().string());
  tell(state);
  return start_;
}

void RunOpening::make() {
  folder_.create();
  made_ = true;
  lock_.emplace(folder_.path());
  folder_.write(folder_.config(), parts_.request.resolved);
  parts_.log.open_file(folder_.log().string());
}

void RunOpening::find_checkpoint() {
  const CheckpointFolder found(folder_.checkpoints(),
                               [this](const std::string& text) { warnings_.push_back(text); });
  const auto newest = parts_.request.resume ? std::nullopt : found.latest();
  if (newest) start_.checkpoint = newest->folder;
  if (parts_.request.resume) start_.checkpoint = found.resolve(*parts_.request.resume);
  if (start_.checkpoint.empty()) {
    if (warnings_.empty()) return;  // ended before its first save
    std::string torn;
    for (const std::string& w : warnings_) torn += "\n  " + w.substr(0, w.find(": "));
    throw storage_failure(storage::not_found, folder_.checkpoints(),
                          "there are checkpoints, and none of them is complete:" + torn,
                          "copy one back, or start another run with --new");
  }
  start_.kind = RunStart::Kind::goes_on;
  start_.step = read_index(start_.checkpoint).step;
  std::error_code error;
  own_checkpoint_ =
      std::filesystem::equivalent(start_.checkpoint / "..", folder_.checkpoints(), error);
}

// Against the settings that were last in force, or for a checkpoint from elsewhere against its own.
void RunOpening::find_changes() {
  const bool foreign = !start_.checkpoint.empty() && !own_checkpoint_;
  const FlatSettings before =
      foreign ? flatten_resolved(read_state(start_.checkpoint).value("config", std::string()),
                                 (start_.checkpoint / "state.json").string())
              : flatten_resolved(folder_.read(folder_.config()), folder_.config().string());
  require_known(before);
  std::int64_t length = 0;
  for (const SettingChange& change : changes_since(before, parts_.request.root)) {
    rate(change);
    if (!is_length(change.key)) continue;
    if (length == 0) length = length_of(before, parts_.settings, parts_.horizon.samples);
    changes_.back().rule =
        parts_.horizon.total_steps >= length ? ChangeRule::noted : ChangeRule::refused;
  }
}

void RunOpening::rate(const SettingChange& change) {
  const auto& accepted = parts_.request.accept;
  changes_.push_back({change, rule_of(change.key),
                      std::any_of(accepted.begin(), accepted.end(), [&](const std::string& key) {
                        return lies_at(change.key, key);
                      })});
}

// The same files may hold other data, and the order of samples follows from their number.
void RunOpening::look_at_data(const Json& state) {
  const std::int64_t before = state.value("train_samples", parts_.horizon.samples);
  if (before == parts_.horizon.samples) return;
  for (const Change& c : changes_)
    if (c.rule == ChangeRule::refused && !is_length(c.setting.key)) return;  // it says why
  rate({"data.train", std::to_string(before) + " samples",
        std::to_string(parts_.horizon.samples) + " samples"});
}

// A misspelt key would be no key at all.
void RunOpening::require_known(const FlatSettings& before) const {
  const FlatSettings now = flatten_resolved(parts_.request.resolved, "the run file");
  for (const std::string& key : parts_.request.accept) {
    const auto at = [&](const FlatSetting& s) { return lies_at(s.key, key); };
    if (std::any_of(now.begin(), now.end(), at) || std::any_of(before.begin(), before.end(), at))
      continue;
    throw Failure("C0313", Exit::configuration,
                  "error[C0313]: --accept " + key + ": there is no such setting: " +
                      "write its path as the message of the difference has it");
  }
}

void RunOpening::require_accepted() const {
  std::string list, options;
  for (const Change& c : changes_) {
    if (c.rule == ChangeRule::free) continue;
    list += "\n  " + listed(c);
    if (c.rule == ChangeRule::refused) options += " --accept " + c.setting.key;
  }
  const bool refused = std::any_of(changes_.begin(), changes_.end(), [](const Change& c) {
    return c.rule == ChangeRule::refused && !c.accepted;
  });
  if (!refused) return;
  const std::string& command = parts_.request.command;
  throw Failure("C0307", Exit::configuration,
                "error[C0307]: " + folder_.path().string() +
                    ": the run that is there has other settings, and nothing is ever overwritten:" +
                    list + "\n  to go on with these settings:  " + command + options +
                    "\n  to start another run:          " + command + " --new" +
                    "\n  or under a name of yours:      " + command + " --set run.name=NAME");
}

std::string RunOpening::listed(const Change& c) const {
  return c.setting.key + ": " + shown(c.setting.before) + " there, " + shown(c.setting.after) +
         " here" + (c.rule == ChangeRule::noted ? " (may change)" : "");
}

void RunOpening::judge_end(const Json& state) {
  if (parts_.request.resume && parts_.request.resume != "latest" &&
      start_.step < parts_.horizon.total_steps)
    return;
  if (start_.kind != RunStart::Kind::goes_on) return;
  ended_early_ = reason_to_stop(parts_.settings.early_stop, early_stop_of(state));
  if (start_.step >= parts_.horizon.total_steps || !ended_early_.empty())
    start_.kind = RunStart::Kind::finished;
}

std::string RunOpening::first_line() const {
  const std::string of =
      std::to_string(start_.step) + " of " + std::to_string(parts_.horizon.total_steps);
  if (start_.kind == RunStart::Kind::goes_on)
    return "goes on at step " + of + ", from " + start_.checkpoint.string();
  if (start_.kind == RunStart::Kind::anew)
    return "begins at step 0: " + folder_.path().string() + " has no checkpoint yet";
  if (!ended_early_.empty() && start_.step < parts_.horizon.total_steps)
    return "finished already: it ended early at step " + of + ": " + ended_early_ +
           "; to go on, change run.early_stop";
  return "finished already: " + of +
         " steps are done; to train longer:  " + parts_.request.command + " --set run.steps=MORE";
}

void RunOpening::tell(const Json& state) {
  parts_.log.info(first_line());
  for (const std::string& w : warnings_) parts_.log.warning(w);
  if (start_.kind == RunStart::Kind::finished) return;
  for (const Change& c : changes_)
    parts_.log.write(c.rule == ChangeRule::free ? LogSeverity::debug : LogSeverity::info,
                     std::string(c.rule == ChangeRule::refused ? "accepted: " : "changed: ") +
                         c.setting.key + ": " + shown(c.setting.before) + " before, " +
                         shown(c.setting.after) + " now");
  const std::string builds =
      other_builds(state.value("plugins", parts_.request.plugins), parts_.request.plugins);
  if (!builds.empty()) parts_.log.info("plugins of another build than at that step: " + builds);
}

void RunOpening::commit() {
  if (made_ || start_.kind == RunStart::Kind::finished) return;
  Json changes = Json::array();
  for (const Change& c : changes_)
    changes.push_back({{"key", c.setting.key},
                       {"before", c.setting.before},
                       {"after", c.setting.after},
                       {"rule", name_of(c.rule)}});
  if (!changes.empty() || !own_checkpoint_)
    history_.add({start_.step, start_.checkpoint.string(), changes}, parts_.request.resolved);
  const CheckpointFolder found(folder_.checkpoints(), [](const std::string&) {});  // told by open()
  for (const auto& aside : found.set_aside_after(start_.step))
    parts_.log.info("a later checkpoint was moved to " + aside.string());
}

void RunOpening::undo() noexcept {
  if (made_) folder_.remove();
}

Json RunOpening::history() const { return history_.read(); }

}  // namespace mortise::host
